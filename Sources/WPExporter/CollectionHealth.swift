// SPDX-License-Identifier: MIT

import WPCollector
import WPCore
import WPFleet
import WPModel
import WPProgram

extension CollectionSnapshot {
    /// The exporter is degraded after this many intervals without a completed cycle or a save.
    static let maximumWait = 3
    /// The reason if no cycle has completed for that long.
    static let stalled = "stalled"

    /// The collector's status for `/health`.
    func health(at now: TimePoint, since start: TimePoint, interval: Duration) -> HealthPart {
        let reason = reason(at: now, since: start, limit: interval * Self.maximumWait)
        return HealthPart(
            reason == nil ? .ok : .degraded,
            reason: reason,
            summary: "\(readings.count) devices",
            details: CollectorHealth(
                devices: readings.count,
                lastSuccess: lastSuccess.map { RFC3339.string($0.wall) },
                failedCollections: failure?.count ?? 0
            )
        )
    }

    /// Why the exporter is degraded; nil if it is not.
    private func reason(at now: TimePoint, since start: TimePoint, limit: Duration) -> String? {
        if let failure { return failure.reason.rawValue }
        if now.since(lastEnd ?? start) > limit { return Self.stalled }
        if let unsavedSince, now.since(unsavedSince) > limit { return FailureReason.storage.rawValue }
        return nil
    }
}

/// The status of collection in `/health`.
struct CollectorHealth: Encodable {
    var devices: Int
    /// When the last successful collection ended; null before the first.
    var lastSuccess: String?
    /// The number of consecutive failed collections.
    var failedCollections: Int

    enum CodingKeys: String, CodingKey {
        case devices
        case lastSuccess = "last_success"
        case failedCollections = "failed_collections"
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(devices, forKey: .devices)
        try container.encode(lastSuccess, forKey: .lastSuccess)
        try container.encode(failedCollections, forKey: .failedCollections)
    }
}

extension HistoryHealth {
    /// The history's status for `/health`: metrics work without it, but the program is degraded.
    var part: HealthPart {
        switch state {
        case .failed, .failing: .degraded("history", self)
        case .opening, .open: .ok(self)
        }
    }
}
