// SPDX-License-Identifier: MIT

import WPCore

/// A deadline for system calls, on the system's monotonic clock.
package struct Deadline: Sendable {
    private let end: Duration

    /// Creates a deadline that is a duration from now; if the duration is negative, the deadline has already passed.
    package init(after span: Duration) {
        end = SystemTimeSource().now.monotonic + span
    }

    /// The remaining time; zero after the deadline.
    package var remaining: Duration {
        max(.zero, end - SystemTimeSource().now.monotonic)
    }

    /// Whether the deadline has passed.
    package var hasPassed: Bool { remaining == .zero }

    /// A deadline after an equal share of the remaining time.
    package func share(of count: Int) -> Deadline {
        Deadline(after: remaining / max(count, 1))
    }

    /// The remaining time for `poll`: milliseconds, rounded up so that no wait ends early, at most 24 days.
    package var milliseconds: Int32 {
        Int32(clamping: (remaining + .nanoseconds(999_999)).inMilliseconds)
    }
}
