// SPDX-License-Identifier: MIT

import Testing
import WPCore
import WPEnergy
import WPModel
import WPTestKit
import WPTestSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct EnergyAccumulatorTests {
    private let epoch = Date(timeIntervalSince1970: 1_750_000_000)
    private let key = EnergyKey(device: DeviceID("a"))
    private let minute = Duration.seconds(60)

    private func at(_ seconds: Double, wall: Double? = nil) -> TimePoint {
        TimePoint(wall: epoch + (wall ?? seconds), monotonic: .seconds(seconds))
    }

    private func accumulated(_ samples: [(Double, Double?)]) -> EnergyTotal {
        var accumulator = EnergyAccumulator()
        for (time, watts) in samples { accumulator.add(watts: watts, at: at(time), maxGap: minute) }
        return accumulator.total
    }

    @Test func fiveSecondsOf195WattsAre975JoulesExactly() {
        #expect(accumulated([(0, 195), (5, 195)]) == EnergyTotal(joules: 975, meteredSeconds: 5, gapSeconds: 0))
    }

    @Test func anHourOfThreeWattsIsThreeWattHours() {
        let total = accumulated((0...720).map { (Double($0) * 5, 3) })
        #expect(total.wattHours == 3)
        #expect(total.meteredSeconds == 3600)
    }

    @Test func usesTheMeanOfBothEndsOfAnInterval() {
        #expect(accumulated([(0, 100), (10, 300)]).joules == 2000)
    }

    @Test func theFirstSampleAddsNothing() {
        #expect(accumulated([(0, 195)]) == EnergyTotal())
    }

    @Test func zeroWattsIsAMeasurement() {
        #expect(accumulated([(0, 0), (5, 0)]) == EnergyTotal(joules: 0, meteredSeconds: 5, gapSeconds: 0))
    }

    @Test(
        arguments: [
            nil, -1, -0.001, .nan, .signalingNaN, .infinity, -.infinity, 1.000001e12, .greatestFiniteMagnitude,
        ] as [Double?]
    )
    func bridgesAnInvalidPowerLikeAMissingSample(_ watts: Double?) {
        let total = accumulated([(0, 100), (5, 100), (10, watts), (15, 300), (20, 300)])
        #expect(total == accumulated([(0, 100), (5, 100), (15, 300), (20, 300)]))
        #expect(total == EnergyTotal(joules: 500 + 2000 + 1500, meteredSeconds: 20, gapSeconds: 0))
    }

    @Test func missingPowerBeyondTheMaximumGapIsAGap() {
        var accumulator = EnergyAccumulator()
        accumulator.add(watts: 100, at: at(0), maxGap: minute)
        for time in stride(from: 5.0, through: 60, by: 5) {
            #expect(accumulator.add(watts: nil, at: at(time), maxGap: minute) == .pending)
        }
        #expect(accumulator.total == EnergyTotal())
        #expect(accumulator.add(watts: nil, at: at(65), maxGap: minute) == .gap)
        #expect(accumulator.total.gapSeconds == 65)
        #expect(accumulator.add(watts: nil, at: at(70), maxGap: minute) == .gap)
        #expect(accumulator.add(watts: 100, at: at(75), maxGap: minute) == .gap)
        #expect(accumulator.add(watts: 100, at: at(80), maxGap: minute) == .integrated)
        #expect(accumulator.total == EnergyTotal(joules: 500, meteredSeconds: 5, gapSeconds: 75))
    }

    @Test func aDeviceThatStartsWithoutPowerHasAGap() {
        #expect(accumulated([(0, nil), (5, 100), (10, 100)]).gapSeconds == 5)
    }

    @Test func savesTheLastValidPowerWhilePowerIsMissing() {
        var accumulator = EnergyAccumulator()
        accumulator.add(watts: 100, at: at(0), maxGap: minute)
        accumulator.add(watts: nil, at: at(5), maxGap: minute)
        var resumed = EnergyAccumulator(resuming: accumulator.record(for: key))
        #expect(resumed.add(watts: nil, at: at(0, wall: 10), maxGap: minute) == .pending)
        #expect(resumed.add(watts: 100, at: at(5, wall: 20), maxGap: minute) == .integrated)
        #expect(resumed.total == EnergyTotal(joules: 2000, meteredSeconds: 20))
    }

    @Test func metersExactlyTheMaximumGap() {
        #expect(accumulated([(0, 60), (60, 60)]) == EnergyTotal(joules: 3600, meteredSeconds: 60, gapSeconds: 0))
    }

    @Test func metersNothingBeyondTheMaximumGap() {
        let total = accumulated([(0, 60), (60.5, 60), (65.5, 60)])
        #expect(total.joules == 300)
        #expect(total.gapSeconds == 60.5)
        #expect(total.meteredSeconds == 5)
    }

    @Test(arguments: [Duration.zero, .seconds(-1)])
    func aMaximumGapOfZeroIntegratesNothing(_ maxGap: Duration) {
        var accumulator = EnergyAccumulator()
        accumulator.add(watts: 5, at: at(0), maxGap: maxGap)
        #expect(accumulator.add(watts: 5, at: at(1), maxGap: maxGap) == .gap)
        #expect(accumulator.total == EnergyTotal(joules: 0, meteredSeconds: 0, gapSeconds: 1))
    }

    @Test func aSampleThatIsNotLaterIsIgnored() {
        var accumulator = EnergyAccumulator()
        #expect(accumulator.add(watts: 100, at: at(10), maxGap: minute) == .started)
        #expect(accumulator.add(watts: 900, at: at(10), maxGap: minute) == .ignored)
        #expect(accumulator.add(watts: 900, at: at(3), maxGap: minute) == .ignored)
        #expect(accumulator.add(watts: nil, at: at(10), maxGap: minute) == .ignored)
        #expect(accumulator.add(watts: 100, at: at(15), maxGap: minute) == .integrated)
        #expect(accumulator.total == EnergyTotal(joules: 500, meteredSeconds: 5, gapSeconds: 0))
    }

    @Test(arguments: [
        Duration(secondsComponent: .max, attosecondsComponent: 0),
        Duration(secondsComponent: .min, attosecondsComponent: 0),
        .seconds(10_000_000_000) + .nanoseconds(1), .seconds(-10_000_000_000) - .nanoseconds(1),
    ])
    func ignoresAnImpossibleMonotonicTime(_ monotonic: Duration) {
        var accumulator = EnergyAccumulator()
        let impossible = TimePoint(wall: epoch, monotonic: monotonic)
        #expect(accumulator.add(watts: 100, at: impossible, maxGap: minute) == .ignored)
        #expect(accumulator.add(watts: 100, at: at(0), maxGap: minute) == .started)
        #expect(accumulator.add(watts: 100, at: impossible, maxGap: minute) == .ignored)
        #expect(accumulator.add(watts: 100, at: at(5), maxGap: minute) == .integrated)
    }

    @Test func acceptsThreeHundredYearsInEitherDirection() {
        var accumulator = EnergyAccumulator()
        #expect(accumulator.add(watts: 100, at: at(-10_000_000_000), maxGap: minute) == .started)
        #expect(accumulator.add(watts: 100, at: at(10_000_000_000), maxGap: minute) == .gap)
    }

    @Test(arguments: [-86_400.0, -3600, -0.5, 0.5, 3600, 86_400, .infinity, -.infinity, .nan])
    func wallClockStepsWithinAProcessHaveNoEffect(_ step: Double) {
        var accumulator = EnergyAccumulator()
        accumulator.add(watts: 100, at: at(0), maxGap: minute)
        accumulator.add(watts: 100, at: at(5, wall: 5 + step), maxGap: minute)
        accumulator.add(watts: 100, at: at(10, wall: 10), maxGap: minute)
        let unverified = step.isFinite && abs(step) > 2 ? abs(step) : 0
        let expected = EnergyTotal(joules: 1000, meteredSeconds: 10, gapSeconds: 0, unverifiedSeconds: unverified)
        #expect(accumulator.total == expected)
    }

    @Test func theTimeOfAPausedMachineIsUnverified() {
        var accumulator = EnergyAccumulator()
        accumulator.add(watts: 100, at: at(0), maxGap: minute)
        #expect(accumulator.add(watts: 100, at: at(5, wall: 3605), maxGap: minute) == .integrated)
        #expect(accumulator.add(watts: 100, at: at(70, wall: 3671), maxGap: minute) == .gap)
        #expect(accumulator.add(watts: 100, at: at(135, wall: 7_336), maxGap: minute) == .gap)
        let expected = EnergyTotal(joules: 500, meteredSeconds: 5, gapSeconds: 130, unverifiedSeconds: 7200)
        #expect(accumulator.total == expected)
    }

    @Test(arguments: [(2.0, 0.0), (2.001, 2.001), (-3600, 0)])
    func smallStepsAndStepsBackAreNotUnverified(step: Double, unverified: Double) {
        var accumulator = EnergyAccumulator()
        accumulator.add(watts: 1, at: at(0), maxGap: minute)
        accumulator.add(watts: 1, at: at(5, wall: 5 + step), maxGap: minute)
        #expect(abs(accumulator.total.unverifiedSeconds - unverified) < 1e-6)
    }

    @Test func aGapIsAtMostThirtyDays() {
        let days = 86_400.0
        var accumulator = EnergyAccumulator()
        accumulator.add(watts: 100, at: at(0), maxGap: minute)
        accumulator.add(watts: 100, at: at(30 * days), maxGap: minute)
        #expect(accumulator.total == EnergyTotal(gapSeconds: 30 * days))
        accumulator.add(watts: 100, at: at(70 * days), maxGap: minute)
        #expect(accumulator.total == EnergyTotal(gapSeconds: 60 * days, unverifiedSeconds: 10 * days))
    }

    // MARK: Across a restart

    private func restarted(lastWatts: Double? = 100, wall: Double, watts: Double? = 300) -> EnergyTotal {
        let record = EnergyRecord(
            key: key,
            total: EnergyTotal(joules: 7, meteredSeconds: 11, gapSeconds: 13, unverifiedSeconds: 17),
            lastSample: .init(wall: epoch, watts: lastWatts)
        )
        var accumulator = EnergyAccumulator(resuming: record)
        accumulator.add(watts: watts, at: at(0, wall: wall), maxGap: minute)
        return accumulator.total
    }

    @Test(arguments: [0.0, 0.25, 10, 60])
    func theWallClockBridgesARestart(_ wall: Double) {
        let expected = EnergyTotal(
            joules: 7 + 200 * wall,
            meteredSeconds: 11 + wall,
            gapSeconds: 13,
            unverifiedSeconds: 17
        )
        #expect(restarted(wall: wall) == expected)
    }

    @Test(arguments: [(60.5, 60.5), (3600, 3600), (2_592_000, 2_592_000), (2_592_001, 2_592_000), (1e8, 2_592_000)])
    func aLongerRestartIsAGapOfAtMostThirtyDays(_ wall: Double, _ gap: Double) {
        let expected = EnergyTotal(
            joules: 7,
            meteredSeconds: 11,
            gapSeconds: 13 + gap,
            unverifiedSeconds: 17 + wall - gap
        )
        #expect(restarted(wall: wall) == expected)
    }

    @Test(arguments: [-0.001, -3600, -1e9, .nan, .infinity, -.infinity])
    func aStepBackAcrossARestartIsUnverified(_ wall: Double) {
        let total = restarted(wall: wall)
        #expect(total.joules == 7 && total.meteredSeconds == 11 && total.gapSeconds == 13)
        #expect(abs(total.unverifiedSeconds - 17 - (wall.isFinite ? -wall : 0)) < 1e-6)
    }

    @Test func aRestartAfterAnInvalidSampleIsAGap() {
        let expected = EnergyTotal(joules: 7, meteredSeconds: 11, gapSeconds: 23, unverifiedSeconds: 17)
        #expect(restarted(lastWatts: nil, wall: 10) == expected)
    }

    @Test func anInvalidSampleAfterARestartDecidesNothing() {
        let expected = EnergyTotal(joules: 7, meteredSeconds: 11, gapSeconds: 13, unverifiedSeconds: 17)
        #expect(restarted(wall: 10, watts: nil) == expected)
    }

    @Test func recordsRoundTrip() {
        var generator = SeededGenerator(seed: 3)
        var accumulator = EnergyAccumulator()
        var time = 0.0
        for index in 0..<500 {
            time += Double.random(in: 0.1...70, using: &generator)
            let watts = index % 17 == 0 ? nil : Double.random(in: 0...1000, using: &generator)
            accumulator.add(watts: watts, at: at(time), maxGap: minute)
            let record = accumulator.record(for: key)
            #expect(record.defect == nil)
            #expect(EnergyAccumulator(resuming: record).record(for: key) == record)
        }
    }

    @Test(arguments: [1e11, -1e11, .infinity, .nan])
    func doesNotSaveAWallClockOutOfRange(_ wall: Double) {
        var accumulator = EnergyAccumulator()
        accumulator.add(
            watts: 1,
            at: TimePoint(wall: Date(timeIntervalSince1970: wall), monotonic: .zero),
            maxGap: minute
        )
        let record = accumulator.record(for: key)
        #expect(record.lastSample == nil)
        #expect(record.defect == nil)
    }

    @Test(arguments: [(5e12, true), (5e12 - 4096, false)])
    func metersUpToTheMaximum(_ room: Double, _ isMetered: Bool) {
        let largest = EnergyTotal.largestJoules
        let record = EnergyRecord(key: key, total: EnergyTotal(joules: largest - room))
        var accumulator = EnergyAccumulator(resuming: record)
        for time in [0.0, 5] { accumulator.add(watts: 1e12, at: at(time), maxGap: minute) }
        #expect(accumulator.total.joules == (isMetered ? largest : largest - room))
        #expect(accumulator.total.meteredSeconds == (isMetered ? 5 : 0))
        #expect(accumulator.total.gapSeconds == (isMetered ? 0 : 5))
    }

    @Test func theTotalStopsAtTheMaximum() {
        let clock = TestClock()
        var record = EnergyRecord(key: EnergyKey(device: DeviceID("a")), total: EnergyTotal())
        record.total.joules = EnergyTotal.largestJoules
        var accumulator = EnergyAccumulator(resuming: record)
        for _ in 0..<3 {
            accumulator.add(watts: 1e12, at: clock.timeSource.now, maxGap: .seconds(60))
            clock.advance(by: .seconds(5))
        }
        #expect(accumulator.total.joules == EnergyTotal.largestJoules)
        #expect(accumulator.total.gapSeconds == 10 && accumulator.total.meteredSeconds == 0)
        #expect(accumulator.record(for: record.key).defect == nil)
    }
}
