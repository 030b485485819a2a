// SPDX-License-Identifier: MIT

/// A moment after which nothing more is waited for.
package struct Deadline: Sendable {
    private let instant: ContinuousClock.Instant

    /// The moment after a span from now. A negative span has passed already.
    package init(after span: Duration) {
        instant = ContinuousClock.now + span
    }

    /// The time left, zero when the moment has passed.
    package var remaining: Duration {
        max(.zero, ContinuousClock.now.duration(to: instant))
    }

    /// Whether the moment has passed.
    package var hasPassed: Bool { remaining == .zero }

    /// The moment when one of several equal parts of the time left has passed.
    package func share(of count: Int) -> Deadline {
        Deadline(after: remaining / max(count, 1))
    }

    /// The time left as `poll` wants it: milliseconds, rounded up so that no wait ends just before it, and at
    /// most 24 days.
    package var milliseconds: Int32 {
        let (seconds, attoseconds) = remaining.components
        guard seconds < Int32.max / 1000 else { return .max }
        return Int32(clamping: seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
