// SPDX-License-Identifier: MIT

/// The moments 0, 1 × interval, 2 × interval and so on, computed exactly.
struct TickGrid: Sendable {
    let interval: Duration

    /// - Parameter interval: clamped to one millisecond to 366 days.
    init(interval: Duration) {
        self.interval = min(max(interval, .milliseconds(1)), .seconds(366 * 86_400))
    }

    /// The time of a tick.
    func time(of tick: Int) -> Duration {
        interval * tick
    }

    /// The last tick at or before a time; 0 before the first.
    func last(at elapsed: Duration) -> Int {
        Int(clamping: max(elapsed.attoseconds, 0) / interval.attoseconds)
    }

    /// The last tick before a time; 0 before the first.
    func last(before elapsed: Duration) -> Int {
        Int(clamping: max(elapsed.attoseconds - 1, 0) / interval.attoseconds)
    }

    /// The number of ticks that passed during the run of tick 0, besides those already noticed. A tick at the exact end
    /// of the run is not counted unless it was already noticed.
    func passed(noticed: Int, whenRunEndedAt elapsed: Duration) -> Int {
        max(last(before: elapsed) - noticed, 0)
    }

    /// The number of ticks that have passed since the run of tick 0 began, besides those already noticed; at least 1
    /// for the tick that was awaited.
    func passed(noticed: Int, whileRunningAt elapsed: Duration) -> Int {
        max(last(at: elapsed) - noticed, 1)
    }
}
