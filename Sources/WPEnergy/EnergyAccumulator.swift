// SPDX-License-Identifier: MIT

public import WPModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Integrates the power of one device over time. A plain value: no clock, no storage, no log.
///
/// - Between two valid samples no further apart than the largest gap, the trapezoid is added: the mean of both powers
///   times the time between them. Samples without a valid power between the two change nothing.
/// - Any other time between two samples is counted as a gap, and nothing is added for it.
/// - Within a process time is measured on the monotonic clock, whatever the wall clock does. Between the last sample
///   of an earlier process and the first of this one only the wall clock knows.
/// - Time that the clocks leave in doubt is counted as unverified: what the wall clock is ahead by more than
///   `clockTolerance` although the monotonic clock saw no such time pass (the machine was paused, or its clock was
///   set), by how much it went back across a restart, and what goes beyond `longestGap`.
/// - At `EnergyTotal.largestJoules` the total stands still, and further time is a gap.
/// - A sample that is not later than the one before it is ignored.
public struct EnergyAccumulator: Sendable, Hashable {
    /// What a sample did.
    public enum Outcome: Sendable, Hashable {
        /// It is the first one of the device; there is no interval yet.
        case started
        /// The time since the sample before was metered.
        case integrated
        /// The time since the sample before was counted as a gap.
        case gap
        /// It had no valid power, and the last one that had is not further away than the largest gap: the next sample
        /// decides what the time was.
        case pending
        /// It was not later than the one before and changed nothing.
        case ignored
    }

    /// The largest power that is taken for a measurement, in watts: a terawatt. It keeps every sum finite; what a
    /// device can really carry is the concern of the plausibility bound.
    package static var largestWatts: Double { 1e12 }

    /// The most of one interval that is counted as a gap; the rest is unverified. No exporter that anybody watches is
    /// down for so long: rather was one of the clocks wrong.
    package static var longestGap: Duration { .seconds(30 * 86_400) }

    /// How far the wall clock may run ahead of the monotonic clock between two samples before it counts. Clocks are
    /// adjusted by less all the time.
    package static var clockTolerance: Duration { .seconds(2) }

    /// Three hundred years either way: no process's clock leaves it, and sums of such spans cannot overflow.
    private static var monotonicRange: ClosedRange<Duration> {
        .seconds(-10_000_000_000) ... .seconds(10_000_000_000)
    }

    private struct Sample: Sendable, Hashable {
        var wall: Date
        /// nil when the sample was taken by an earlier process, whose monotonic clock means nothing here.
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

    /// Resumes from what an earlier process saved.
    /// - Parameter record: a record without `EnergyRecord.defect`.
    public init(resuming record: EnergyRecord) {
        energy = CompensatedSum(record.total.joules, compensation: record.compensationJoules)
        metered = TimeSum(seconds: record.total.meteredSeconds)
        gap = TimeSum(seconds: record.total.gapSeconds)
        unverified = TimeSum(seconds: record.total.unverifiedSeconds)
        last = record.lastSample.map { Sample(wall: $0.wall, monotonic: nil, watts: Self.valid($0.watts)) }
    }

    /// The totals so far.
    public var total: EnergyTotal {
        EnergyTotal(
            joules: energy.value,
            meteredSeconds: metered.seconds,
            gapSeconds: gap.seconds,
            unverifiedSeconds: unverified.seconds
        )
    }

    /// What has to be saved so that ``init(resuming:)`` can continue from here.
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

    /// Takes the next sample.
    /// - Parameters:
    ///   - watts: the power; nil, negative, not finite or above `largestWatts` when there is no valid one.
    ///   - time: when it was read.
    ///   - maxGap: the longest time between two samples that is integrated; zero or less integrates nothing.
    @discardableResult
    public mutating func add(watts: Double?, at time: TimePoint, maxGap: Duration) -> Outcome {
        guard Self.monotonicRange.contains(time.monotonic) else { return .ignored }
        let sample = Sample(wall: time.wall, monotonic: time.monotonic, watts: Self.valid(watts))
        guard let last else {
            self.last = sample
            return .started
        }
        guard let earlier = last.monotonic else { return addAcrossRestart(from: last, to: sample, maxGap: maxGap) }
        let span = time.monotonic - earlier
        guard span > .zero else { return .ignored }
        guard span <= maxGap, let first = last.watts else {
            self.last = sample
            addJump(from: last, to: sample, span: span)
            gap.add(min(span, Self.longestGap))
            if span > Self.longestGap { unverified.add(span - Self.longestGap) }
            return .gap
        }
        guard let second = sample.watts else { return .pending }
        self.last = sample
        addJump(from: last, to: sample, span: span)
        guard addEnergy((first + second) * 0.5 * span.inSeconds) else {
            gap.add(span)
            return .gap
        }
        metered.add(span)
        return .integrated
    }

    /// Adds energy, unless the total would become larger than any that can be saved.
    private mutating func addEnergy(_ joules: Double) -> Bool {
        guard energy.value + joules <= EnergyTotal.largestJoules else { return false }
        energy.add(joules)
        return true
    }

    /// Counts what the wall clock is ahead after a span of the monotonic clock.
    private mutating func addJump(from last: Sample, to sample: Sample, span: Duration) {
        let ahead = sample.wall.timeIntervalSince(last.wall) - span.inSeconds
        if ahead > Self.clockTolerance.inSeconds, ahead.isFinite { unverified.add(seconds: ahead) }
    }

    private mutating func addAcrossRestart(from last: Sample, to sample: Sample, maxGap: Duration) -> Outcome {
        let seconds = sample.wall.timeIntervalSince(last.wall)
        guard seconds >= 0, seconds.isFinite else {
            self.last = sample
            if seconds.isFinite { unverified.add(seconds: -seconds) }
            return .gap
        }
        guard seconds <= maxGap.inSeconds, let first = last.watts else {
            self.last = sample
            let longest = Self.longestGap.inSeconds
            gap.add(seconds: min(seconds, longest))
            unverified.add(seconds: max(seconds - longest, 0))
            return .gap
        }
        guard let second = sample.watts else { return .pending }
        self.last = sample
        guard addEnergy((first + second) * 0.5 * seconds) else {
            gap.add(seconds: seconds)
            return .gap
        }
        metered.add(seconds: seconds)
        return .integrated
    }

    private static func valid(_ watts: Double?) -> Double? {
        guard let watts, watts >= 0, watts <= largestWatts else { return nil }
        return watts
    }
}
