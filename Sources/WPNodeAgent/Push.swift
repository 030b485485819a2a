// SPDX-License-Identifier: MIT

import WPExporter
import WPHTTP
import WPHubClient
import WPLogging

extension HubSender {
    /// Sends snapshots as the settings of `node.*` say.
    convenience init(_ settings: NodeSettings.Node, _ target: HubTarget, _ logger: Logger) {
        var configuration = Configuration(path: HubAddress.path, noun: "snapshots")
        configuration.attempts = settings.pushAttempts
        configuration.retryDelay = settings.pushRetryDelay
        configuration.timeout = settings.pushTimeout
        configuration.bufferCount = settings.pushBuffer
        self.init(target, configuration: configuration, logger: logger)
    }
}

extension HubTarget {
    /// The hub of `node.*`.
    /// - Throws: when its authorities can't be used.
    init(_ settings: NodeSettings.Node, _ hub: HubAddress, _ build: NodeAgent.Build) throws {
        let agent = build.version.isEmpty ? "wpexporter-node" : "wpexporter-node/\(build.version)"
        self.init(
            address: hub.description,
            transport: try HTTPClient(HTTPClient.Configuration(settings, hub, userAgent: agent)),
            source: settings.tokenSource
        )
    }
}

extension SenderMetricNames {
    /// Those of an agent's snapshots.
    static let snapshots = SenderMetricNames(
        sent: "winpower_node_pushes_total",
        failures: "winpower_node_push_failures_total",
        dropped: "winpower_node_push_dropped_snapshots_total",
        waiting: "winpower_node_push_buffered_snapshots",
        lastSuccess: "winpower_node_push_last_success_timestamp_seconds"
    )
}
