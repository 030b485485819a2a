// SPDX-License-Identifier: MIT

import WPCore

/// A running sum of time spans.
///
/// Durations on the monotonic clock are added exactly, in attoseconds. The sum of earlier processes is a separate
/// `Double`, so that a restart rounds only once.
struct TimeSum: Sendable, Hashable {
    private var carriedSeconds: Double
    private var measured: Duration = .zero

    /// Resumes a sum in seconds.
    init(seconds: Double = 0) {
        carriedSeconds = seconds
    }

    /// The sum in seconds.
    var seconds: Double { carriedSeconds + measured.inSeconds }

    /// Adds a duration on the monotonic clock.
    mutating func add(_ span: Duration) {
        measured += span
    }

    /// Adds a duration on the wall clock, once per restart.
    mutating func add(seconds: Double) {
        carriedSeconds += seconds
    }
}
