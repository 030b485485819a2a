// SPDX-License-Identifier: MIT

import Synchronization
import WPHistory
import WPModel

extension Fleet {
    /// How often the sum over all UPSes is recorded, and silent subjects are looked for.
    static let reviewInterval = Duration.seconds(10)

    /// Records what a report that was just taken means for the events and for the sum over all UPSes.
    /// - Parameters:
    ///   - silence: how long nothing was heard of the subject before; nil when this is the first since the start.
    ///   - time: of the report, in seconds since 1970.
    func review(_ subject: HistorySubject, _ snapshot: UPSSnapshot?, after silence: Duration?, at time: Double) {
        let long = silence.flatMap { $0 > configuration.offlineAfter ? $0.components.seconds : nil }
        let seconds = Int64(clamping: time)
        let found = detector.withLock { $0.take(subject, snapshot, at: seconds, afterSilence: long) }
        for event in found { history.record(event) }
        reviewAll()
    }

    /// Records the sum over all UPSes and who is silent, if the last time is long enough ago.
    private func reviewAll() {
        let now = timeSource.now
        let isDue = lastReview.withLock { last in
            guard now.monotonic - last >= Self.reviewInterval else { return false }
            last = now.monotonic
            return true
        }
        guard isDue else { return }
        let all = silences(at: now.monotonic)
        for (subject, silence) in all where silence > configuration.offlineAfter {
            let start = Int64(clamping: now.secondsSince1970) - silence.components.seconds
            if let event = detector.withLock({ $0.miss(subject, since: start) }) { history.record(event) }
        }
        // Until every UPS has had time to report, a sum would lack some.
        guard now.monotonic - started >= configuration.staleAfter else { return }
        let total = FleetTotal(entries(of: .ups))
        guard !total.values.isEmpty else { return }
        history.record(History.Sample(subject: .fleet, time: now.secondsSince1970, values: total.values))
    }
}

/// The sum over the UPSes that report.
struct FleetTotal: Sendable, Hashable {
    private(set) var watts: Double?
    private(set) var loadPercent: Double?
    private(set) var shortestRuntime: Double?
    private(set) var shareOnBattery: Double?

    init(_ entries: [Fleet.Entry]) {
        let present = entries.filter { $0.freshness != .offline }.compactMap(\.device).filter { $0.connected != false }
        let loads = present.compactMap(\.loadWatts)
        if !loads.isEmpty { watts = loads.reduce(0, +) }
        var (rated, used) = (0.0, 0.0)
        for device in present {
            guard let rating = device.ratedVoltAmperes, rating > 0, let percent = device.loadPercent else { continue }
            rated += rating
            used += rating * percent
        }
        if rated > 0 { loadPercent = used / rated }
        shortestRuntime = present.compactMap(\.batteryRuntimeSeconds).min()
        let modes = present.compactMap(\.isOnBattery)
        if !modes.isEmpty { shareOnBattery = Double(modes.count { $0 }) / Double(modes.count) }
    }

    var values: [(quantity: HistoryQuantity, value: Double)] {
        let all: [(HistoryQuantity, Double?)] = [
            (.loadWatts, watts), (.loadPercent, loadPercent), (.batteryRuntime, shortestRuntime),
            (.onBattery, shareOnBattery),
        ]
        return all.compactMap { quantity, value in value.map { (quantity, $0) } }
    }
}

extension Int64 {
    /// The seconds before a moment, or the nearest number that there is.
    fileprivate init(clamping seconds: Double) {
        self = Int64(exactly: seconds.rounded(.down)) ?? (seconds > 0 ? .max / 2 : 0)
    }
}
