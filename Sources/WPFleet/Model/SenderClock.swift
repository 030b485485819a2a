// SPDX-License-Identifier: MIT

/// By how much the wall clock of a sender is ahead of this machine's, as its reports show.
struct SenderClock: Sendable {
    /// A clock that is off by less than this is taken to be right: a report takes time on its way. In seconds.
    static let tolerance = 2.0
    /// How many reports without an age a clock that is behind is judged by.
    static let judgedReports = 10
    /// The least time in which these have come: a backlog comes faster.
    static let judgedSpan = Duration.seconds(5)

    /// In seconds; 0 within the tolerance.
    private(set) var skew = 0.0
    /// When the last report came, by the monotonic clock.
    private(set) var heard: Duration
    /// Whether a report of the sender counted. Others are remembered to be judged, and not shown.
    var isKnown = false
    private var reports: [(lead: Double, time: Duration)] = []

    init(heard: Duration) {
        self.heard = heard
    }

    /// Takes a report whose age is known: it shows the clock as it was, however long the report waited.
    mutating func measure(_ lead: Double, at now: Duration) {
        heard = now
        skew = abs(lead) > Self.tolerance ? lead : 0
    }

    /// Takes a report whose age is not known. One from the future shows a clock that is ahead. One from the past has waited,
    /// or shows a clock that is behind: that it is when reports come as evenly as they were made.
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
        // What a report takes on its way makes the clock seem behind.
        skew = greatest
    }
}
