// SPDX-License-Identifier: MIT

import WPHTTP
import WPHost
import WPHubClient
import WPModel
import WPServer
import WPText

/// `GET /health`: whether the agent samples, and how its pushes fare. The status is 200 whenever there is an answer: a
/// restart mends neither a machine nor a hub.
struct NodeHealth: HTTPHandler {
    /// After this many intervals without a sample the agent is degraded.
    private static let patience = 3.0

    let version: String
    let node: @Sendable () -> String
    let sample: @Sendable () -> HostSample
    /// The time between two samples, in seconds.
    let interval: Double
    let push: (@Sendable () -> HubSender.Status)?
    let timeSource: any TimeSource
    let started: TimePoint

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        HTTPResponse(
            headers: ["Content-Type": "application/json", "Cache-Control": "no-store"],
            body: .bytes(try JSONDocument.bytes(report))
        )
    }

    var report: Report {
        let now = timeSource.now
        let sample = sample()
        let push = push?()
        let age = max(now.secondsSince1970 - sample.time, 0)
        var reason: String?
        if sample.time == 0 || age > Self.patience * interval { reason = "stalled" }
        if reason == nil, sample.lacksHost { reason = "host" }
        if reason == nil, push?.failure != nil { reason = "hub" }
        return Report(
            status: reason == nil ? "ok" : "degraded",
            reason: reason,
            time: RFC3339.string(now.wall, fraction: .seconds),
            version: version,
            node: node(),
            uptimeSeconds: now.since(started).inSeconds.rounded(.down),
            sampleAgeSeconds: sample.time == 0 ? nil : Self.rounded(age),
            failedCollectors: sample.reports.filter { !$0.value.faults.isEmpty }.map(\.key.rawValue).sorted(),
            hub: push.map { push in
                Report.Hub(
                    bufferedSnapshots: push.buffered,
                    lastSuccessAgeSeconds: push.lastSuccess.map { Self.rounded(max(now.secondsSince1970 - $0, 0)) },
                    error: push.failure
                )
            }
        )
    }

    private static func rounded(_ seconds: Double) -> Double { (seconds * 1000).rounded() / 1000 }

    /// The body.
    struct Report: Encodable, Equatable {
        var status: String
        var reason: String?
        var time: String
        var version: String
        var node: String
        var uptimeSeconds: Double
        var sampleAgeSeconds: Double?
        var failedCollectors: [String]
        var hub: Hub?

        struct Hub: Encodable, Equatable {
            var bufferedSnapshots: Int
            var lastSuccessAgeSeconds: Double?
            var error: String?

            enum CodingKeys: String, CodingKey {
                case error, bufferedSnapshots = "buffered_snapshots", lastSuccessAgeSeconds = "last_success_age_seconds"
            }
        }

        enum CodingKeys: String, CodingKey {
            case status, reason, time, version, node, hub
            case uptimeSeconds = "uptime_seconds"
            case sampleAgeSeconds = "sample_age_seconds"
            case failedCollectors = "failed_collectors"
        }
    }
}

extension HostSample {
    /// Whether nothing was read of what every host has, such as when its procfs is not there.
    fileprivate var lacksHost: Bool {
        let essential: [HostCollectorName] = [.cpu, .stat, .meminfo, .loadavg, .vmstat]
        let reports = essential.compactMap { self.reports[$0] }
        return !reports.isEmpty && !reports.contains { $0.isSuccess }
    }
}
