// SPDX-License-Identifier: MIT

import WPCore
import WPHTTP
import WPHubClient
import WPLogging
import WPProgram
import WPSettings

extension HubSender {
    /// Creates the sender of snapshots from `node.*`.
    convenience init(
        to target: HubTarget,
        settings: NodeSettings.Node,
        timeSource: any TimeSource,
        logger: Logger
    ) {
        self.init(target, configuration: Configuration(settings), timeSource: timeSource, logger: logger)
    }
}

extension HubSender.Configuration {
    /// The configuration of the sender of snapshots from `node.*`.
    init(_ settings: NodeSettings.Node) {
        self.init(path: HubAddress.path, noun: "snapshots")
        attempts = settings.pushAttempts
        retryDelay = settings.pushRetryDelay
        timeout = settings.pushTimeout
        bufferCount = settings.pushBuffer
    }
}

extension HubTarget {
    /// The hub target of `node.*`.
    /// - Throws: if its certificate authorities are unusable.
    init(_ settings: NodeSettings.Node, _ hub: HubAddress, userAgent: String) throws {
        let configuration = HTTPClient.Configuration(
            origin: hub.origin,
            verification: settings.hubCAFile.map { .authorities(path: $0) } ?? .system,
            maxBodyBytes: 64 << 10,
            userAgent: userAgent
        )
        self.init(
            address: hub.description,
            transport: try HTTPClient(configuration),
            token: settings.tokenSource?.reader
        )
    }
}

extension NodeSettings.Node {
    /// The source of the hub's token; nil if there is none.
    var tokenSource: SecretSource? {
        hubTokenFile.map { .file($0) } ?? hubToken.map { .value($0) }
    }
}

extension SenderMetricNames {
    /// The metric names of an agent's snapshots.
    static let snapshots = SenderMetricNames(
        sent: "winpower_node_pushes_total",
        failures: "winpower_node_push_failures_total",
        dropped: "winpower_node_push_dropped_snapshots_total",
        waiting: "winpower_node_push_buffered_snapshots",
        lastSuccess: "winpower_node_push_last_success_timestamp_seconds"
    )
}
