// SPDX-License-Identifier: MIT

/// The moments 0, 1 × interval, 2 × interval and so on, computed exactly.
struct TickGrid: Sendable {
    let interval: Duration

    /// - Parameter interval: from one millisecond to 366 days; others count as the nearest of these.
    init(interval: Duration) {
        self.interval = min(max(interval, .milliseconds(1)), .seconds(366 * 86_400))
    }

    /// When a tick comes.
    func time(of tick: Int) -> Duration {
        interval * tick
    }

    /// The last tick that has come at a time; 0 before all.
    func last(at elapsed: Duration) -> Int {
        Int(clamping: max(elapsed.attoseconds, 0) / interval.attoseconds)
    }

    /// The last tick that had come before a time; 0 before all.
    func last(before elapsed: Duration) -> Int {
        Int(clamping: max(elapsed.attoseconds - 1, 0) / interval.attoseconds)
    }

    /// The ticks that passed while the run of tick 0 lasted, beyond those that were noticed already. A tick at the very
    /// moment that the run ends is free, unless it was noticed.
    func passed(noticed: Int, whenRunEndedAt elapsed: Duration) -> Int {
        max(last(before: elapsed) - noticed, 0)
    }

    /// The ticks that have passed since the run of tick 0 began, beyond those that were noticed already; at least the
    /// one that was waited for.
    func passed(noticed: Int, whileRunningAt elapsed: Duration) -> Int {
        max(last(at: elapsed) - noticed, 1)
    }
}
