// SPDX-License-Identifier: MIT

package import WPModel

/// Judges the wall clock of this machine by what does not depend on it: the monotonic clock, the newest sample that was stored
/// at the start, and the clocks of senders.
///
/// The judgement stops pruning and is shown to operators. Samples are recorded whatever it is.
package struct ClockCheck: Sendable {
    /// Why the clock is implausible, the most certain first.
    package enum Reason: String, Sendable, Hashable, CaseIterable {
        /// It is before this program existed.
        case impossible
        /// All senders differ from it in the same direction.
        case sendersDisagree = "senders_disagree"
        /// It was before the newest stored sample at the start: it is behind, or was ahead earlier.
        case behindHistory = "behind_history"
        /// It was more than a week after the newest stored sample at the start: it is ahead, or the program was stopped for long.
        case aheadOfHistory = "ahead_of_history"
        /// It was set while the program ran.
        case stepped
    }

    /// What is wrong with the clock.
    package struct Problem: Sendable, Hashable {
        package var reason: Reason
        /// About how far the clock is ahead of what it was compared with, in seconds; negative when it is behind.
        package var seconds: Double
        /// When it was noticed.
        package var since: TimePoint
    }

    /// Before this a wall clock is certainly wrong: 2001-01-01, in seconds since 1970. Clocks without a battery start in 1970 or
    /// 2000.
    package static let earliest = 978_307_200.0
    /// A change against the monotonic clock that is taken for a step, in seconds.
    static let stepTolerance = 60.0
    /// How far the clock may be before the newest stored sample, in seconds: hubs and senders differ a little.
    static let behindTolerance = 300.0
    /// How far it may be after it: a week. A program may have been stopped.
    static let aheadTolerance = 7 * 86_400.0
    /// How far senders may differ, in seconds.
    static let sendersTolerance = 60.0
    /// For how long a step is reported.
    static let stepMemory = Duration.seconds(3600)
    /// After this long without a step the clock is taken to be right, whatever the history says.
    static let confirmation = Duration.seconds(86_400)

    /// What is wrong; nil when the clock is plausible.
    package private(set) var problem: Problem?
    private var last: TimePoint
    /// Since when there was no step, by the monotonic clock.
    private var steady: Duration
    /// The newest sample that was stored at the start, and when that became known.
    private var newest: (time: Double, known: Duration)?
    /// The last step that is not undone, in seconds.
    private var step: Double?
    private var senders: Double?

    /// - Parameter now: the start of the program.
    package init(_ now: TimePoint) {
        last = now
        steady = now.monotonic
        problem = Self.impossible(now)
    }

    /// Whether the clock has run evenly for so long that it is taken to be right.
    package func isConfirmed(at now: TimePoint) -> Bool {
        now.monotonic - steady >= Self.confirmation && now.secondsSince1970 >= Self.earliest
    }

    /// Compares the clock with the newest sample of the store; once, when it is known.
    mutating func learn(newest time: Double, at now: TimePoint) {
        guard newest == nil, time.isFinite else { return }
        newest = (time, now.monotonic)
        observe(now)
    }

    /// Compares the clock with those of senders.
    /// - Parameter lead: by how much the senders' clocks are ahead of this one, in seconds; nil when they do not agree on it.
    package mutating func compare(senders lead: Double?, at now: TimePoint) {
        senders = lead
        observe(now)
    }

    /// Looks at the clock. Every minute is enough.
    package mutating func observe(_ now: TimePoint) {
        let before = historyOffset(last)
        let drift = now.secondsSince1970 - last.secondsSince1970 - (now.monotonic - last.monotonic).inSeconds
        if abs(drift) >= Self.stepTolerance {
            let total = (step ?? 0) + drift
            // Back where it was, or where the history or the senders say that it should be: that is a repair.
            let agrees =
                senders.map { abs($0) > Self.sendersTolerance && abs($0 - drift) < Self.stepTolerance } ?? false
            let isRepair =
                agrees || abs(total) < Self.stepTolerance || (before != nil && historyOffset(now) == nil)
            if agrees { senders = nil }
            step = isRepair ? nil : total
            steady = now.monotonic
        } else if now.monotonic - steady >= Self.stepMemory {
            step = nil
        }
        last = now
        let found = finding(now)
        problem = found.map { found in
            // The same trouble keeps its beginning.
            let since = problem?.reason == found.reason ? problem?.since : nil
            return Problem(reason: found.reason, seconds: found.seconds, since: since ?? now)
        }
    }

    private func finding(_ now: TimePoint) -> (reason: Reason, seconds: Double)? {
        if let problem = Self.impossible(now) { return (problem.reason, problem.seconds) }
        if let senders, abs(senders) > Self.sendersTolerance { return (.sendersDisagree, -senders) }
        if !isConfirmed(at: now), let offset = historyOffset(now) {
            return (offset < 0 ? .behindHistory : .aheadOfHistory, offset)
        }
        return step.map { (.stepped, $0) }
    }

    /// How far the clock is from where the newest stored sample lets it be; nil when it may be right.
    private func historyOffset(_ now: TimePoint) -> Double? {
        guard let newest else { return nil }
        let offset = now.secondsSince1970 - newest.time
        if offset < -Self.behindTolerance { return offset }
        let late = offset - (now.monotonic - newest.known).inSeconds
        return late > Self.aheadTolerance ? late : nil
    }

    private static func impossible(_ now: TimePoint) -> Problem? {
        let offset = now.secondsSince1970 - earliest
        return offset < 0 ? Problem(reason: .impossible, seconds: offset, since: now) : nil
    }

}
