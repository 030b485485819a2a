// SPDX-License-Identifier: MIT

import WPCore

/// The clock used for retention. A wrong wall clock cannot move it far, so recent points are never deleted.
///
/// It starts at its stored time, or else at the newest stored sample, and follows the monotonic clock. Once the wall
/// clock has run without steps for a day, each pruning catches up with at most one day of downtime.
struct RetentionClock: Sendable, Hashable {
    /// The maximum catch-up per pruning, in seconds.
    static let maximumStep = 86_400.0

    /// The current time, in seconds since 1970.
    private(set) var time: Double
    private var last: Duration

    /// - Parameters:
    ///   - stored: its stored time; nil if it was never stored.
    ///   - newest: the time of the newest stored sample; nil if there is none.
    init(stored: Double?, newest: Double?, at now: TimePoint) {
        let start = stored ?? newest.map { min($0, now.secondsSince1970) } ?? now.secondsSince1970
        time = start.isFinite ? start : now.secondsSince1970
        last = now.monotonic
    }

    /// Advances the clock.
    /// - Parameter isConfirmed: whether the wall clock is considered correct.
    /// - Returns: the current time for pruning, never later than the wall clock.
    mutating func advance(to now: TimePoint, isConfirmed: Bool) -> Double {
        time += (now.monotonic - last).inSeconds
        last = now.monotonic
        let wall = now.secondsSince1970
        if isConfirmed { time = min(wall, time + Self.maximumStep) }
        return min(time, wall)
    }

    /// Adopts the time stored by another program, which may have run longer, if it is later.
    mutating func learn(_ stored: Double) {
        if stored.isFinite { time = max(time, stored) }
    }
}
