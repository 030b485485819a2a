// SPDX-License-Identifier: MIT

import WPModel

/// The clock by which points grow old. A wall clock that is wrong can't move it far, so it deletes nothing that is young.
///
/// It starts at the newest stored sample, or where it stood when it was stored, and runs with the monotonic clock. Time during
/// which no program ran is caught up with, a day per pruning, once the wall clock has run evenly for a day.
struct RetentionClock: Sendable, Hashable {
    /// The most that is caught up with at a time, in seconds.
    static let greatestLeap = 86_400.0

    /// What it shows, in seconds since 1970.
    private(set) var time: Double
    private var last: Duration

    /// - Parameters:
    ///   - stored: what it showed when it was stored; nil when it never was.
    ///   - newest: the newest stored sample; nil for none.
    init(stored: Double?, newest: Double?, at now: TimePoint) {
        let start = stored ?? newest.map { min($0, now.secondsSince1970) } ?? now.secondsSince1970
        time = start.isFinite ? start : now.secondsSince1970
        last = now.monotonic
    }

    /// Advances it.
    /// - Parameter isConfirmed: whether the wall clock is taken to be right.
    /// - Returns: the moment to prune by: never later than the wall clock.
    mutating func advance(to now: TimePoint, isConfirmed: Bool) -> Double {
        time += (now.monotonic - last).inSeconds
        last = now.monotonic
        let wall = now.secondsSince1970
        if isConfirmed { time = min(wall, time + Self.greatestLeap) }
        return min(time, wall)
    }

    /// Takes what another program has stored, which may have run for longer.
    mutating func learn(_ stored: Double) {
        if stored.isFinite { time = max(time, stored) }
    }
}
