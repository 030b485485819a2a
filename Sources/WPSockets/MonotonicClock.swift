// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An instant of the monotonic clock. Addition saturates, so that "never" is just a distant instant.
package struct MonotonicInstant: Comparable, Hashable, Sendable {
    package var nanoseconds: UInt64

    package init(nanoseconds: UInt64) { self.nanoseconds = nanoseconds }

    package static let never = MonotonicInstant(nanoseconds: .max)

    package func advanced(by span: Duration) -> MonotonicInstant {
        advanced(byNanoseconds: Self.nanoseconds(of: span))
    }

    package func advanced(byNanoseconds span: UInt64) -> MonotonicInstant {
        let (sum, overflows) = nanoseconds.addingReportingOverflow(span)
        return overflows ? .never : MonotonicInstant(nanoseconds: sum)
    }

    /// The time since an earlier moment; zero since a later one.
    package func since(_ earlier: MonotonicInstant) -> Duration {
        guard self > earlier else { return .zero }
        return .nanoseconds(Int64(clamping: nanoseconds - earlier.nanoseconds))
    }

    package static func < (lhs: MonotonicInstant, rhs: MonotonicInstant) -> Bool { lhs.nanoseconds < rhs.nanoseconds }

    private static func nanoseconds(of span: Duration) -> UInt64 {
        let (seconds, attoseconds) = span.components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (product, overflows) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflows else { return .max }
        let (sum, overflowsToo) = product.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000))
        return overflowsToo ? .max : sum
    }
}

/// The monotonic clock of a server's event loop. Tests advance a manual one.
package protocol MonotonicClock: Sendable {
    var now: MonotonicInstant { get }

    /// The nanoseconds of real time to sleep until an instant; nil to sleep until the function of ``onMove(_:)`` is
    /// called.
    func sleep(until instant: MonotonicInstant) -> UInt64?

    /// Sets the function to call when the time jumps, as when a test advances its clock.
    func onMove(_ wake: @escaping @Sendable () -> Void)
}

/// The system's monotonic clock.
package struct SystemMonotonicClock: MonotonicClock {
    package init() {}

    package var now: MonotonicInstant {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let seconds = UInt64(clamping: time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000).partialValue
        return MonotonicInstant(nanoseconds: seconds &+ UInt64(clamping: time.tv_nsec))
    }

    package func sleep(until instant: MonotonicInstant) -> UInt64? {
        let now = now
        return instant <= now ? 0 : instant.nanoseconds - now.nanoseconds
    }

    package func onMove(_ wake: @escaping @Sendable () -> Void) {}
}
