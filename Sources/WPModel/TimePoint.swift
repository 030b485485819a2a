// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One moment on two clocks: the wall clock, which people read and which may be set, and a monotonic one, by which
/// time spans are measured.
public struct TimePoint: Hashable, Sendable {
    /// The wall clock. It may jump either way between two points.
    public var wall: Date
    /// Time since an origin that is fixed while the process lives. It never goes back and counts time asleep.
    public var monotonic: Duration

    /// Creates a moment.
    public init(wall: Date, monotonic: Duration) {
        self.wall = wall
        self.monotonic = monotonic
    }

    /// The wall clock in seconds since 1970-01-01T00:00:00Z.
    package var secondsSince1970: Double { wall.timeIntervalSince1970 }

    /// The monotonic time from another moment of the same process to this one.
    public func since(_ earlier: TimePoint) -> Duration {
        monotonic - earlier.monotonic
    }
}

/// Tells the time. Production code takes one so that tests can move it.
public protocol TimeSource: Sendable {
    /// This moment.
    var now: TimePoint { get }
}

/// The computer's own clocks.
public struct SystemTimeSource: TimeSource {
    private let origin: ContinuousClock.Instant

    /// Creates a time source whose monotonic clock starts at zero now.
    public init() {
        origin = ContinuousClock.now
    }

    /// This moment.
    public var now: TimePoint {
        TimePoint(wall: Date(), monotonic: origin.duration(to: .now))
    }
}

extension Duration {
    /// This span in seconds, as nearly as a Double holds it.
    package var inSeconds: Double {
        let (seconds, attoseconds) = components
        return Double(seconds) + Double(attoseconds) * 1e-18
    }

    /// This span in whole milliseconds, cut off towards zero; the nearest that fits.
    package var inMilliseconds: Int64 {
        let (seconds, attoseconds) = components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1000)
        let (sum, overflows) = product.addingReportingOverflow(attoseconds / 1_000_000_000_000_000)
        return overflow || overflows ? (seconds < 0 ? .min : .max) : sum
    }
}
