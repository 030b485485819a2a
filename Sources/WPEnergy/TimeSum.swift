// SPDX-License-Identifier: MIT

import WPModel

/// A running sum of time spans.
///
/// Spans on the monotonic clock are added as `Duration`, a whole number of attoseconds, so that no step rounds. What
/// an earlier process had summed comes back as a `Double` and stays apart: a restart rounds the sum once.
struct TimeSum: Sendable, Hashable {
    private var carriedSeconds: Double
    private var measured: Duration = .zero

    /// Resumes a sum of this number of seconds.
    init(seconds: Double = 0) {
        carriedSeconds = seconds
    }

    /// The sum in seconds.
    var seconds: Double { carriedSeconds + measured.inSeconds }

    /// Adds a span measured on the monotonic clock.
    mutating func add(_ span: Duration) {
        measured += span
    }

    /// Adds a span measured on the wall clock, as happens once per restart.
    mutating func add(seconds: Double) {
        carriedSeconds += seconds
    }
}
