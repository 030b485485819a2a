// SPDX-License-Identifier: MIT

import WPCore
import WPModel
import WPTestKit
import WPTestSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Two hours of samples of a load, with or without faults.
struct SampleSeries {
    /// Fault probabilities per sample.
    struct FaultRates {
        /// Jitter of a sample in seconds.
        var jitter = 0.0
        /// The device reports no valid power.
        var invalid = 0.0
        /// The samples of up to two minutes are lost.
        var outage = 0.0
        /// The process restarts within half a minute.
        var restart = 0.0
        /// The wall clock is set by up to six hours either way.
        var wallStep = 0.0

        static let none = FaultRates()
        static let all = FaultRates(jitter: 2, invalid: 0.03, outage: 0.01, restart: 0.02, wallStep: 0.02)
    }

    struct Sample {
        /// The true time in nanoseconds since the start, which no clock shows.
        var nanoseconds: Int64
        /// The process's clocks.
        var time: TimePoint
        /// The number of the process, from 0.
        var process: Int
        var watts: Double?

        /// The true time in seconds.
        var seconds: Double { Double(nanoseconds) / 1e9 }
    }

    let shape: LoadShape
    let samples: [Sample]

    init(_ shape: LoadShape, _ faults: FaultRates = .none, seed: UInt64 = 0) {
        self.shape = shape
        var generator = SeededGenerator(seed: seed)
        func happens(_ chance: Double) -> Bool { Double.random(in: 0..<1, using: &generator) < chance }
        var samples: [Sample] = []
        var silentUntil = 0.0
        var process = 0
        var processStart: Int64 = 0
        var wallOffset = 0.0
        for tick in 0...1440 {
            let planned = Double(tick) * 5
            let jitter = faults.jitter > 0 ? Double.random(in: -1...1, using: &generator) * faults.jitter : 0
            if happens(faults.outage) { silentUntil = planned + Double.random(in: 0...120, using: &generator) }
            if happens(faults.restart) {
                silentUntil = max(silentUntil, planned + Double.random(in: 0...30, using: &generator))
                process += 1
                processStart = Int64(planned * 1e9) - Int64.random(in: 0...1_000_000_000, using: &generator)
            }
            if happens(faults.wallStep) { wallOffset += Double.random(in: -21_600...21_600, using: &generator) }
            guard planned >= silentUntil else { continue }
            let nanoseconds = min(max(0, Int64((planned + jitter) * 1e9)), 7_200_000_000_000)
            let seconds = Double(nanoseconds) / 1e9
            samples.append(
                Sample(
                    nanoseconds: nanoseconds,
                    time: TimePoint(
                        wall: Date(timeIntervalSince1970: 1_750_000_000 + seconds + wallOffset),
                        monotonic: .nanoseconds(nanoseconds - processStart)
                    ),
                    process: process,
                    watts: happens(faults.invalid) ? nil : shape.watts(at: seconds)
                )
            )
        }
        self.samples = samples
    }

    /// The expected result of the samples.
    struct Expectation {
        /// The trapezoids of the samples, to about 30 digits.
        var joules = DoubleDouble(0)
        var meteredSeconds = DoubleDouble(0)
        var gapSeconds = DoubleDouble(0)
        /// The true energy of the metered time, in closed form.
        var trueJoules = 0.0
    }

    /// An independent implementation of docs/energy.md, for a maximum gap of a minute.
    var expectation: Expectation {
        var expectation = Expectation()
        var last = samples.first
        for second in samples.dropFirst() {
            guard let first = last else { break }
            let span: DoubleDouble
            if first.process == second.process {
                guard second.time.monotonic > first.time.monotonic else { continue }
                span = DoubleDouble(second.time.monotonic - first.time.monotonic)
            } else {
                // Subtracting two dates this close is exact.
                span = DoubleDouble(second.time.wall.timeIntervalSince(first.time.wall))
                guard span.high >= 0 else {
                    last = second
                    continue
                }
            }
            if span.high <= 60, let power = first.watts {
                // Invalid samples within the minute are bridged.
                guard let nextPower = second.watts else { continue }
                expectation.joules = expectation.joules + (DoubleDouble(power) + DoubleDouble(nextPower)) * span / 2
                expectation.meteredSeconds = expectation.meteredSeconds + span
                expectation.trueJoules += shape.joules(until: second.seconds) - shape.joules(until: first.seconds)
            } else {
                expectation.gapSeconds = expectation.gapSeconds + span
            }
            last = second
        }
        return expectation
    }
}
