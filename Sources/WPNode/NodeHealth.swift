// SPDX-License-Identifier: MIT

import WPCore
import WPHost
import WPHubClient
import WPProgram

extension HostSample {
    /// The agent is degraded after this many intervals without a sample.
    private static let maximumWait = 3

    /// The sampler's status for `/health`.
    /// - Parameters:
    ///   - node: the name of this machine.
    ///   - interval: the longest sampling interval.
    ///   - failed: the names of other collectors that failed.
    func health(node: String, interval: Duration, failed: [String] = [], at now: TimePoint) -> HealthPart {
        let age = times.values.map { now.since($0) }.min()
        let isCurrent = age.map { $0 <= interval * Self.maximumWait } ?? false
        let reason = isCurrent ? (isHostDataMissing ? "host" : nil) : "stalled"
        let details = SampleHealth(
            node: node,
            ageSeconds: age.map(SampleHealth.rounded),
            failedCollectors: (reports.filter { !$0.value.faults.isEmpty }.map(\.key.rawValue) + failed).sorted()
        )
        return HealthPart(reason == nil ? .ok : .degraded, reason: reason, details: details)
    }

    /// Whether the data that every host provides is missing, as it is without procfs.
    private var isHostDataMissing: Bool {
        let essential: [HostCollectorName] = ["cpu", "stat", "meminfo", "loadavg", "vmstat"]
        let reports = essential.compactMap { self.reports[$0] }
        return !reports.isEmpty && !reports.contains { $0.isSuccess }
    }
}

extension HubSender.Status {
    /// The status of pushes for `/health`: scrapes work without a hub, but the agent is degraded.
    func health(at now: TimePoint) -> HealthPart {
        let details = PushHealth(
            bufferedSnapshots: buffered,
            lastSuccessAgeSeconds: lastSuccess.map { SampleHealth.rounded(now.since($0)) },
            error: failure
        )
        return failure == nil ? .ok(details) : .degraded("hub", details)
    }
}

/// The status of samples in `/health`.
struct SampleHealth: Encodable, Equatable {
    var node: String
    var ageSeconds: Double?
    var failedCollectors: [String]

    static func rounded(_ age: Duration) -> Double { (age.inSeconds * 1000).rounded() / 1000 }

    enum CodingKeys: String, CodingKey {
        case node, ageSeconds = "age_seconds", failedCollectors = "failed_collectors"
    }
}

/// The status of pushes in `/health`.
private struct PushHealth: Encodable {
    var bufferedSnapshots: Int
    var lastSuccessAgeSeconds: Double?
    var error: String?

    enum CodingKeys: String, CodingKey {
        case error, bufferedSnapshots = "buffered_snapshots", lastSuccessAgeSeconds = "last_success_age_seconds"
    }
}
