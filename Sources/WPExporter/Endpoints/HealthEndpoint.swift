// SPDX-License-Identifier: MIT

import WPCollector
import WPHTTP
import WPModel
import WPServer

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `GET /health`: whether the process serves, and how its collections fare. It never contacts WinPower.
///
/// The status is 200 whenever there is an answer: restarting an exporter because its upstream is down makes things worse.
/// `status` shows the difference.
struct HealthEndpoint: HTTPHandler {
    /// After this many intervals without a finished cycle, or without a save, the exporter is degraded.
    static let patience = 3
    /// The reason when no cycle has finished for so long.
    static let stalled = "stalled"
    /// The reason when the history could not be opened, or can't be saved.
    static let historyFailed = "history"

    let snapshot: @Sendable () -> CollectionSnapshot
    let timeSource: any TimeSource
    let started: TimePoint
    let pace: Pace
    /// How the history fares; nil where none is kept.
    var history: @Sendable () -> HistoryHealth? = { nil }
    /// The status of the server for Network UPS Tools; nil when it is not enabled.
    var nut: @Sendable () -> NUTHealth? = { nil }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        try JSONReply.ok(report())
    }

    func report() -> HealthReport {
        let now = timeSource.now
        let snapshot = snapshot()
        let history = history()
        let reason = reason(snapshot, history, now)
        return HealthReport(
            status: reason == nil ? .ok : .degraded,
            time: JSONReply.time(now.wall),
            version: Version.number,
            uptimeSeconds: (now.since(started).inSeconds * 1000).rounded() / 1000,
            lastSuccess: snapshot.lastSuccess.map { JSONReply.time($0.wall) },
            devices: snapshot.readings.count,
            reason: reason,
            failedCollections: snapshot.failure?.count ?? 0,
            history: history,
            nut: nut()
        )
    }

    /// Why the exporter is degraded; nil when it is not.
    private func reason(_ snapshot: CollectionSnapshot, _ history: HistoryHealth?, _ now: TimePoint) -> String? {
        if let failure = snapshot.failure { return failure.reason.rawValue }
        let limit = pace.interval * Self.patience
        if now.since(snapshot.lastEnd ?? started) > limit { return Self.stalled }
        if let since = snapshot.unsavedSince, now.since(since) > limit { return FailureReason.storage.rawValue }
        switch history?.state {
        case .failed, .failing: return Self.historyFailed
        case .opening, .open, nil: return nil
        }
    }
}

/// The body of `/health`, which `healthcheck` reads back.
package struct HealthReport: Codable, Equatable {
    package enum Status: String, Codable {
        /// Collections succeed, or none has ended yet.
        case ok
        /// The last collection failed, or none has ended or been saved for three intervals, or the history fails.
        case degraded
    }

    package var status: Status
    var time: String
    var version: String
    var uptimeSeconds: Double
    /// When the last good collection ended; null before the first.
    var lastSuccess: String?
    package var devices: Int
    /// Why the exporter is degraded: a reason of failed collections, `stalled` or `history`; null when it is not.
    package var reason: String?
    /// How many collections in a row have failed.
    var failedCollections: Int
    /// How the history fares; null where none is kept.
    var history: HistoryHealth?
    /// The status of the server for Network UPS Tools; null when it is not enabled.
    var nut: NUTHealth?

    enum CodingKeys: String, CodingKey {
        case status, time, version, devices, reason, history, nut
        case uptimeSeconds = "uptime_seconds"
        case lastSuccess = "last_success"
        case failedCollections = "failed_collections"
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(status, forKey: .status)
        try container.encode(time, forKey: .time)
        try container.encode(version, forKey: .version)
        try container.encode(uptimeSeconds, forKey: .uptimeSeconds)
        // Written as null rather than left out, so that a reader need not ask whether the key exists.
        try container.encode(lastSuccess, forKey: .lastSuccess)
        try container.encode(devices, forKey: .devices)
        try container.encode(reason, forKey: .reason)
        try container.encode(failedCollections, forKey: .failedCollections)
        try container.encode(history, forKey: .history)
        try container.encode(nut, forKey: .nut)
    }
}
