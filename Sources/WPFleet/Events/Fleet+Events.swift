// SPDX-License-Identifier: MIT

import Synchronization
import WPCore
import WPHistory
import WPModel

extension Fleet {
    /// The interval at which the fleet total is recorded and silent subjects are detected.
    static let reviewInterval = Duration.seconds(10)

    /// Updates the events and the fleet total after a report.
    /// - Parameters:
    ///   - silence: the silence of the subject before the report; nil for its first report since the start.
    ///   - time: the time of the report, in seconds since 1970.
    func review(_ subject: HistorySubject, _ snapshot: UPSSnapshot?, after silence: Duration?, at time: Double) {
        let long = silence.flatMap { $0 > configuration.offlineAfter ? $0.components.seconds : nil }
        let seconds = Int64(clamping: time)
        let found = detector.withLock { $0.take(subject, snapshot, at: seconds, afterSilence: long) }
        for event in found { history.record(event) }
        reviewAll()
    }

    /// Records the fleet total and silent subjects, if the interval has passed.
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
        // The total is incomplete until every UPS has had time to report.
        guard now.monotonic - started >= configuration.staleAfter else { return }
        let total = Self.total(of: entries(of: .ups))
        guard !total.isEmpty else { return }
        history.record(History.Sample(subject: .fleet, time: now.secondsSince1970, values: total))
    }

    /// The total of the UPSes that report.
    private static func total(of entries: [Entry]) -> [(quantity: HistoryQuantity, value: Double)] {
        let present = entries.filter { $0.freshness != .offline }.compactMap(\.device).filter { !$0.isUnreachable }
        let loads = present.compactMap { $0[.loadWatts] }
        let modes = present.compactMap(\.isOnBattery)
        var (rated, used) = (0.0, 0.0)
        for device in present {
            guard let rating = device[.ratedVoltAmperes], rating > 0, let percent = device[.loadPercent] else {
                continue
            }
            rated += rating
            used += rating * percent
        }
        let all: [(HistoryQuantity, Double?)] = [
            (.loadWatts, loads.isEmpty ? nil : loads.reduce(0, +)),
            (.loadPercent, rated > 0 ? used / rated : nil),
            (.batteryRuntime, present.compactMap { $0[.batteryRuntime] }.min()),
            (.onBattery, modes.isEmpty ? nil : Double(modes.count { $0 }) / Double(modes.count)),
        ]
        return all.compactMap { quantity, value in value.map { (quantity, $0) } }
    }
}

extension Int64 {
    /// The seconds before a moment, clamped to the valid range.
    fileprivate init(clamping seconds: Double) {
        self = Int64(exactly: seconds.rounded(.down)) ?? (seconds > 0 ? .max / 2 : 0)
    }
}
