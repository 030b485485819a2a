// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A time on two clocks: the wall clock, which can be set, and a monotonic clock for durations.
public struct TimePoint: Hashable, Sendable {
    /// The time of the wall clock, which may step in either direction between two points.
    public var wall: Date
    /// The time since an origin that is fixed for the process. Never decreases, and advances while the machine is
    /// asleep.
    public var monotonic: Duration

    /// Creates a time point.
    public init(wall: Date, monotonic: Duration) {
        self.wall = wall
        self.monotonic = monotonic
    }

    /// Creates a time point.
    package init(secondsSince1970: Double, monotonic: Duration) {
        self.init(wall: Date(timeIntervalSince1970: secondsSince1970), monotonic: monotonic)
    }

    /// The wall-clock time in seconds since 1970-01-01T00:00:00Z.
    package var secondsSince1970: Double { wall.timeIntervalSince1970 }

    /// The monotonic time since another time point of the same process.
    public func since(_ earlier: TimePoint) -> Duration {
        monotonic - earlier.monotonic
    }
}

extension Duration {
    /// This duration in seconds, rounded to a Double.
    package var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }

    /// This duration in whole milliseconds, truncated towards zero and clamped.
    package var inMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, overflows) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return overflow || overflows ? (seconds < 0 ? .min : .max) : sum
    }
}
