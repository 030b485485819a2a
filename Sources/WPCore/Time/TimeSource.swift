// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The clock of this package: returns the time and sleeps. Injected, so that tests can control it.
public protocol TimeSource: Sendable {
    /// The current time.
    var now: TimePoint { get }

    /// Sleeps until a monotonic time of this source; returns immediately if it has passed.
    /// - Parameters:
    ///   - monotonic: the time to wake up, comparable with ``TimePoint/monotonic`` of ``now``.
    ///   - tolerance: how much later the sleep may end; nil for the system's default.
    /// - Throws: `CancellationError` if the task is cancelled.
    func sleep(until monotonic: Duration, tolerance: Duration?) async throws
}

extension TimeSource {
    /// Sleeps until a monotonic time of this source.
    /// - Throws: `CancellationError` if the task is cancelled.
    public func sleep(until monotonic: Duration) async throws {
        try await sleep(until: monotonic, tolerance: nil)
    }

    /// Sleeps for a duration; returns immediately if it is zero or negative.
    /// - Throws: `CancellationError` if the task is cancelled.
    public func sleep(for span: Duration) async throws {
        try await sleep(until: now.monotonic + span, tolerance: nil)
    }

    /// Sleeps for a duration; returns false if the task was cancelled.
    package func hasSlept(for span: Duration) async -> Bool {
        (try? await sleep(for: span)) != nil
    }
}

/// The system's clocks. The monotonic clock starts at its first use in the process, so the times of all instances are
/// comparable.
public struct SystemTimeSource: TimeSource {
    private static let origin = ContinuousClock.now

    /// Creates a time source.
    public init() {
        _ = Self.origin
    }

    /// The current time.
    public var now: TimePoint {
        TimePoint(wall: Date(), monotonic: Self.origin.duration(to: .now))
    }

    /// Sleeps until a monotonic time; the clock advances while the machine is asleep.
    public func sleep(until monotonic: Duration, tolerance: Duration?) async throws {
        try await ContinuousClock().sleep(until: Self.origin + monotonic, tolerance: tolerance)
    }
}

extension TimeSource where Self == SystemTimeSource {
    /// The system's clocks.
    public static var system: SystemTimeSource { SystemTimeSource() }
}
