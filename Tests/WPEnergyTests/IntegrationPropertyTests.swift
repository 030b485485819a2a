// SPDX-License-Identifier: MIT

import Testing
import WPCore
import WPEnergy
import WPLogging
import WPModel
import WPTestKit
import WPTestSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct IntegrationPropertyTests {
    private let device = DeviceID("ups")

    /// Feeds the samples to meters, one per process, on the same store.
    private func metered(_ series: SampleSeries) async throws -> EnergyTotal {
        let store = FakeEnergyStore()
        var meter = try await TrapezoidEnergyMeter(store: store, logger: .silent)
        var process = series.samples.first?.process
        var last = EnergyTotal()
        for sample in series.samples {
            if sample.process != process {
                process = sample.process
                meter = try await TrapezoidEnergyMeter(store: store, logger: .silent)
                let resumed = await meter.totals()[device]
                #expect(resumed == last)
            }
            let update = await meter.record([PowerSample(device: device, time: sample.time, watts: sample.watts)])
            let total = try #require(update.totals[device])
            #expect(total.joules >= last.joules)
            #expect(total.meteredSeconds >= last.meteredSeconds && total.gapSeconds >= last.gapSeconds)
            last = total
        }
        return last
    }

    @Test(arguments: LoadShape.allCases, [1, 2, 3, 4, 5, 6] as [UInt64])
    func theSumEqualsTheTrapezoidsOfTheSamplesDespiteFaults(_ shape: LoadShape, seed: UInt64) async throws {
        let series = SampleSeries(shape, .all, seed: seed)
        let expected = series.expectation
        let total = try await metered(series)
        #expect(series.samples.last?.process ?? 0 > 5)
        #expect(expected.gapSeconds.high > 300)
        #expect(abs(expected.joules.relativeError(of: total.joules)) < 1e-12)
        #expect(abs(expected.meteredSeconds.relativeError(of: total.meteredSeconds)) < 1e-12)
        #expect(abs(expected.gapSeconds.relativeError(of: total.gapSeconds)) < 1e-12)
    }

    @Test(arguments: LoadShape.allCases)
    func metersAllTimeWithoutFaults(_ shape: LoadShape) async throws {
        let total = try await metered(SampleSeries(shape))
        #expect(total.meteredSeconds == 7200)
        #expect(total.gapSeconds == 0)
    }

    @Test(arguments: [LoadShape.constant195, .constant3, .ramp], [0.0, 2])
    func straightLinesAreIntegratedExactly(_ shape: LoadShape, jitter: Double) async throws {
        let series = SampleSeries(shape, .init(jitter: jitter), seed: 9)
        let total = try await metered(series)
        let truth =
            shape.joules(until: series.samples.last?.seconds ?? 0)
            - shape.joules(until: series.samples.first?.seconds ?? 0)
        #expect(abs(total.joules / truth - 1) < 1e-12)
    }

    @Test(arguments: [
        (LoadShape.sine, SampleSeries.FaultRates.none, 0.001), (.sine, .all, 0.001), (.randomWalk, .none, 0.001),
        (.randomWalk, .all, 0.001), (.square, .none, 0.01), (.square, .all, 0.01),
    ])
    func curvesAreIntegratedClosely(_ shape: LoadShape, _ faults: SampleSeries.FaultRates, within bound: Double)
        async throws
    {
        let series = SampleSeries(shape, faults, seed: 4)
        let total = try await metered(series)
        #expect(abs(total.joules / series.expectation.trueJoules - 1) < bound)
    }

    @Test func wallClockStepsOfHoursChangeNothingWithinAProcess() async throws {
        let steady = SampleSeries(.randomWalk, .init(jitter: 1, invalid: 0.05), seed: 8)
        let total = try await metered(steady)
        var clock = SeededGenerator(seed: 5)
        var accumulator = EnergyAccumulator()
        for sample in steady.samples {
            var time = sample.time
            time.wall += Double.random(in: -21_600...21_600, using: &clock)
            accumulator.add(watts: sample.watts, at: time, maxGap: .seconds(60))
        }
        #expect(accumulator.total.joules == total.joules)
        #expect(accumulator.total.meteredSeconds == total.meteredSeconds)
        #expect(accumulator.total.gapSeconds == total.gapSeconds)
    }

    @Test func aYearOfFiveSecondStepsAt195WattsIsExact() {
        var accumulator = EnergyAccumulator()
        let steps: Int64 = 365 * 24 * 720
        let wall = TestClock().timeSource.now.wall
        for step in 0...steps {
            let time = TimePoint(wall: wall, monotonic: .seconds(step * 5))
            accumulator.add(watts: 195, at: time, maxGap: .seconds(60))
        }
        #expect(accumulator.total == EnergyTotal(joules: 6_149_520_000, meteredSeconds: 31_536_000, gapSeconds: 0))
    }
}
