// SPDX-License-Identifier: MIT

import WPCore

/// The clock of retention. A wrong wall clock cannot move it far, so recent points are never deleted.
///
/// Starts at the newest stored sample or its stored value, and follows the monotonic clock. Catches up downtime by a
/// day per pruning, once the wall clock has run without steps for a day.
struct RetentionClock: Sendable, Hashable {
    /// The maximum catch-up at a time, in seconds.
    static let maximumStep = 86_400.0

    /// Its time in seconds since 1970.
    private(set) var time: Double
    private var last: Duration

    /// - Parameters:
    ///   - stored: its stored time; nil if it was never stored.
    ///   - newest: the newest stored sample; nil for none.
    init(stored: Double?, newest: Double?, at now: TimePoint) {
        let start = stored ?? newest.map { min($0, now.secondsSince1970) } ?? now.secondsSince1970
        time = start.isFinite ? start : now.secondsSince1970
        last = now.monotonic
    }

    /// Advances it.
    /// - Parameter isConfirmed: whether the wall clock counts as correct.
    /// - Returns: the current time for pruning, never later than the wall clock.
    mutating func advance(to now: TimePoint, isConfirmed: Bool) -> Double {
        time += (now.monotonic - last).inSeconds
        last = now.monotonic
        let wall = now.secondsSince1970
        if isConfirmed { time = min(wall, time + Self.maximumStep) }
        return min(time, wall)
    }

    /// Adopts the time stored by another program that may have run longer.
    mutating func learn(_ stored: Double) {
        if stored.isFinite { time = max(time, stored) }
    }
}
