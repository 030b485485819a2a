// SPDX-License-Identifier: MIT

/// An estimate of how far the wall clock of a sender is ahead of this machine's, based on its reports.
struct SenderClock: Sendable {
    /// The tolerance in seconds, for the transmission time: a smaller difference is treated as zero.
    static let tolerance = 2.0
    /// The number of reports without an age that are needed to detect a clock that is behind.
    static let judgedReports = 10
    /// The minimum duration of these reports: a backlog arrives faster.
    static let judgedSpan = Duration.seconds(5)

    /// In seconds; 0 within the tolerance.
    private(set) var skew = 0.0
    /// When the last report arrived, by the monotonic clock.
    private(set) var heard: Duration
    /// Whether a report of the sender was accepted. Other senders are tracked but not published.
    var isKnown = false
    private var reports: [(lead: Double, time: Duration)] = []

    init(heard: Duration) {
        self.heard = heard
    }

    /// Updates the estimate from a report of known age, even if it was queued for long.
    mutating func measure(_ lead: Double, at now: Duration) {
        heard = now
        skew = abs(lead) > Self.tolerance ? lead : 0
    }

    /// Updates the estimate from a report of unknown age. One from the future means that the clock is ahead. One from
    /// the past was queued, unless reports arrive as evenly as they were created: then the clock is behind.
    mutating func judge(_ lead: Double, at now: Duration) {
        heard = now
        reports = (reports + [(lead, now)]).suffix(Self.judgedReports)
        if lead >= -Self.tolerance {
            skew = lead > Self.tolerance ? lead : 0
            return
        }
        guard reports.count == Self.judgedReports, let first = reports.first, now - first.time >= Self.judgedSpan else {
            return
        }
        let leads = reports.map(\.lead)
        guard let least = leads.min(), let greatest = leads.max(), greatest - least <= Self.tolerance else { return }
        // Transmission time makes the clock appear to be behind.
        skew = greatest
    }
}
