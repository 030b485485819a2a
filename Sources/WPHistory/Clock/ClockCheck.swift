// SPDX-License-Identifier: MIT

package import WPCore
import WPModel

/// Validates the wall clock against independent sources: the monotonic clock, the newest stored sample at the start,
/// and the clocks of senders.
///
/// A fault stops pruning and is shown to operators; samples are still recorded.
package struct ClockCheck: Sendable {
    /// The reasons why the clock is implausible, the most certain first.
    package enum Reason: String, Sendable, Hashable, CaseIterable {
        /// It shows a time before this program existed.
        case impossible
        /// All senders differ from it in the same direction.
        case sendersDisagree = "senders_disagree"
        /// It was before the newest stored sample at the start: it is behind, or was ahead earlier.
        case behindHistory = "behind_history"
        /// It was more than a week after the newest stored sample at the start: it is ahead, or the program was stopped
        /// for a long time.
        case aheadOfHistory = "ahead_of_history"
        /// It was stepped while the program ran.
        case stepped
    }

    /// A clock fault.
    package struct Problem: Sendable, Hashable {
        package var reason: Reason
        /// The approximate offset of the clock in seconds; negative if it is behind.
        package var seconds: Double
        /// When it was detected.
        package var since: TimePoint
    }

    /// A wall clock before this time is certainly wrong: 2001-01-01, in seconds since 1970. Clocks without a battery
    /// start in 1970 or 2000.
    package static let earliest = 978_307_200.0
    /// The minimum deviation from the monotonic clock that is treated as a step, in seconds.
    static let stepTolerance = 60.0
    /// The tolerated lag behind the newest stored sample, in seconds: hubs and senders differ slightly.
    static let behindTolerance = 300.0
    /// The tolerated lead: a week, because the program may have been stopped.
    static let aheadTolerance = 7 * 86_400.0
    /// The tolerated offset from the senders' clocks, in seconds.
    static let sendersTolerance = 60.0
    /// How long a step is reported.
    static let stepMemory = Duration.seconds(3600)
    /// After this long without a step, the clock is considered correct, regardless of the history.
    static let confirmation = Duration.seconds(86_400)

    /// The fault; nil if the clock is plausible.
    package private(set) var problem: Problem?
    private var last: TimePoint
    /// The monotonic time of the last step or the start.
    private var steadySince: Duration
    /// The newest stored sample at the start, and when it became known.
    private var newest: (time: Double, known: Duration)?
    /// The last step that was not reverted, in seconds.
    private var step: Double?
    private var senders: Double?

    /// - Parameter now: the time at which the program started.
    package init(_ now: TimePoint) {
        last = now
        steadySince = now.monotonic
        problem = Self.impossible(now)
    }

    /// Whether the clock has run without steps for long enough to be considered correct.
    package func isConfirmed(at now: TimePoint) -> Bool {
        now.monotonic - steadySince >= Self.confirmation && now.secondsSince1970 >= Self.earliest
    }

    /// Compares the clock with the newest stored sample, once.
    mutating func learn(newest time: Double, at now: TimePoint) {
        guard newest == nil, time.isFinite else { return }
        newest = (time, now.monotonic)
        observe(now)
    }

    /// Compares the clock with those of senders.
    /// - Parameter lead: the lead of the senders' clocks in seconds; nil if they disagree.
    package mutating func compare(senders lead: Double?, at now: TimePoint) {
        senders = lead
        observe(now)
    }

    /// Checks the clock. Call it about every minute.
    package mutating func observe(_ now: TimePoint) {
        let before = historyOffset(last)
        let drift = now.secondsSince1970 - last.secondsSince1970 - (now.monotonic - last.monotonic).inSeconds
        if abs(drift) >= Self.stepTolerance {
            let total = (step ?? 0) + drift
            // A step back to the previous time, or to that of the history or senders, is a correction.
            let agrees =
                senders.map { abs($0) > Self.sendersTolerance && abs($0 - drift) < Self.stepTolerance } ?? false
            let isCorrection =
                agrees || abs(total) < Self.stepTolerance || (before != nil && historyOffset(now) == nil)
            if agrees { senders = nil }
            step = isCorrection ? nil : total
            steadySince = now.monotonic
        } else if now.monotonic - steadySince >= Self.stepMemory {
            step = nil
        }
        last = now
        let found = finding(now)
        problem = found.map { found in
            // A fault that persists keeps its start time.
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

    /// How far the clock is from the range that the newest stored sample allows; nil if within it.
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
