// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A moment of the monotonic clock. Adding to it saturates, so that "never" is just a far moment.
struct LoopInstant: Comparable, Hashable, Sendable {
    var nanoseconds: UInt64

    static let never = LoopInstant(nanoseconds: .max)

    static var now: LoopInstant {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let seconds = UInt64(clamping: time.tv_sec).multipliedReportingOverflow(by: 1_000_000_000).partialValue
        return LoopInstant(nanoseconds: seconds &+ UInt64(clamping: time.tv_nsec))
    }

    func advanced(by span: Duration) -> LoopInstant {
        advanced(byNanoseconds: Self.nanoseconds(of: span))
    }

    func advanced(byNanoseconds span: UInt64) -> LoopInstant {
        let (sum, overflows) = nanoseconds.addingReportingOverflow(span)
        return overflows ? .never : LoopInstant(nanoseconds: sum)
    }

    /// The time since an earlier moment; zero since a later one.
    func since(_ earlier: LoopInstant) -> Duration {
        guard self > earlier else { return .zero }
        return .nanoseconds(Int64(clamping: nanoseconds - earlier.nanoseconds))
    }

    static func < (lhs: LoopInstant, rhs: LoopInstant) -> Bool { lhs.nanoseconds < rhs.nanoseconds }

    private static func nanoseconds(of span: Duration) -> UInt64 {
        let (seconds, attoseconds) = span.components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let (product, overflows) = UInt64(seconds).multipliedReportingOverflow(by: 1_000_000_000)
        guard !overflows else { return .max }
        let (sum, overflowsToo) = product.addingReportingOverflow(UInt64(attoseconds / 1_000_000_000))
        return overflowsToo ? .max : sum
    }
}
