// SPDX-License-Identifier: MIT

/// The moments 0, 1 × interval, 2 × interval and so on, reckoned exactly.
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
}
