// SPDX-License-Identifier: MIT

public import WPCore
public import WPModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Integrates the power of one device over time. A pure value: no clock, storage or log.
///
/// - For two valid samples no further apart than the maximum gap, the energy by the trapezoidal rule is added: the mean
///   power times the time. Invalid samples in between change nothing.
/// - Any other time between two samples is counted as a gap, without energy.
/// - Within a process, time is measured on the monotonic clock; across a restart, on the wall clock.
/// - Uncertain time is counted as unverified: an advance of the wall clock by more than
///   `clockTolerance` over the monotonic clock (the machine was paused, or its clock was set), a step back across a
///   restart, and time beyond `longestGap`.
/// - At `EnergyTotal.largestJoules` the total stops increasing, and further time is counted as a gap.
/// - A sample that is not later than the previous one is ignored.
public struct EnergyAccumulator: Sendable, Hashable {
    /// The effect of a sample.
    public enum Outcome: Sendable, Hashable {
        /// The first sample of the device; there is no interval yet.
        case started
        /// The time since the previous sample was metered.
        case integrated
        /// The time since the previous sample was counted as a gap.
        case gap
        /// The sample had no valid power, but the maximum gap has not passed: the next sample decides.
        case pending
        /// The sample was not later than the previous one, and was ignored.
        case ignored
    }

    /// The maximum valid power, a terawatt, which keeps sums finite. The plausibility bound checks against the device's
    /// rating.
    package static var largestWatts: Double { 1e12 }

    /// The maximum gap that one interval adds; the rest is unverified, because a longer outage is more likely to be the
    /// effect of a wrong clock.
    package static var longestGap: Duration { .seconds(30 * 86_400) }

    /// The tolerated advance of the wall clock over the monotonic clock between two samples. Normal clock adjustments
    /// are smaller.
    package static var clockTolerance: Duration { .seconds(2) }

    /// Three hundred years in either direction, so that sums cannot overflow.
    private static var monotonicRange: ClosedRange<Duration> {
        .seconds(-10_000_000_000) ... .seconds(10_000_000_000)
    }

    private struct Sample: Sendable, Hashable {
        var wall: Date
        /// Nil for a sample of an earlier process, whose monotonic clock is not comparable.
        var monotonic: Duration?
        var watts: Double?
    }

    private var energy: CompensatedSum
    private var metered: TimeSum
    private var gap: TimeSum
    private var unverified: TimeSum
    private var last: Sample?

    /// Starts at zero.
    public init() {
        energy = CompensatedSum()
        metered = TimeSum()
        gap = TimeSum()
        unverified = TimeSum()
    }

    /// Resumes from a saved record.
    /// - Parameter record: a record without `EnergyRecord.defect`.
    public init(resuming record: EnergyRecord) {
        energy = CompensatedSum(record.total.joules, compensation: record.compensationJoules)
        metered = TimeSum(seconds: record.total.meteredSeconds)
        gap = TimeSum(seconds: record.total.gapSeconds)
        unverified = TimeSum(seconds: record.total.unverifiedSeconds)
        last = record.lastSample.map { Sample(wall: $0.wall, monotonic: nil, watts: Self.valid($0.watts)) }
    }

    /// The current totals.
    public var total: EnergyTotal {
        EnergyTotal(
            joules: energy.value,
            meteredSeconds: metered.seconds,
            gapSeconds: gap.seconds,
            unverifiedSeconds: unverified.seconds
        )
    }

    /// The record from which ``init(resuming:)`` can continue.
    public func record(for key: EnergyKey) -> EnergyRecord {
        EnergyRecord(
            key: key,
            total: total,
            compensationJoules: energy.compensation,
            lastSample: last.flatMap { sample in
                guard EnergyRecord.LastSample.wallRange.contains(sample.wall.timeIntervalSince1970) else { return nil }
                return EnergyRecord.LastSample(wall: sample.wall, watts: sample.watts)
            }
        )
    }

    /// Adds the next sample.
    /// - Parameters:
    ///   - watts: the power; nil, negative, not finite or above `largestWatts` is invalid.
    ///   - time: the time of the sample.
    ///   - maxGap: the maximum time between two integrated samples; zero or less integrates nothing.
    @discardableResult
    public mutating func add(watts: Double?, at time: TimePoint, maxGap: Duration) -> Outcome {
        guard Self.monotonicRange.contains(time.monotonic) else { return .ignored }
        let sample = Sample(wall: time.wall, monotonic: time.monotonic, watts: Self.valid(watts))
        guard let last else {
            self.last = sample
            return .started
        }
        let span: Duration
        if let earlier = last.monotonic {
            span = time.monotonic - earlier
            guard span > .zero else { return .ignored }
        } else {
            let seconds = sample.wall.timeIntervalSince(last.wall)
            guard seconds >= 0, seconds.isFinite else {
                self.last = sample
                if seconds.isFinite { unverified.add(seconds: -seconds) }
                return .gap
            }
            span = .seconds(min(seconds, EnergyTotal.largestSeconds))
        }
        guard span <= maxGap, let first = last.watts else {
            self.last = sample
            addJump(from: last, to: sample, span: span)
            gap.add(min(span, Self.longestGap))
            unverified.add(max(span - Self.longestGap, .zero))
            return .gap
        }
        guard let second = sample.watts else { return .pending }
        self.last = sample
        addJump(from: last, to: sample, span: span)
        let joules = (first + second) * 0.5 * span.inSeconds
        guard energy.value + joules <= EnergyTotal.largestJoules else {
            gap.add(span)
            return .gap
        }
        energy.add(joules)
        metered.add(span)
        return .integrated
    }

    /// Counts the advance of the wall clock over the monotonic clock.
    private mutating func addJump(from last: Sample, to sample: Sample, span: Duration) {
        let ahead = sample.wall.timeIntervalSince(last.wall) - span.inSeconds
        if ahead > Self.clockTolerance.inSeconds, ahead.isFinite { unverified.add(seconds: ahead) }
    }

    private static func valid(_ watts: Double?) -> Double? {
        guard let watts, watts >= 0, watts <= largestWatts else { return nil }
        return watts
    }
}
