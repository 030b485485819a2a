// SPDX-License-Identifier: MIT

import Testing
import WPSimulator

struct LoadCurveTests {
    private static let wavy = LoadCurve(
        baseWatts: 700,
        wattsPerSecond: 0.01,
        waves: [
            LoadCurve.Wave(amplitude: 200, period: 86_400, phase: 0.3),
            LoadCurve.Wave(amplitude: 40, period: 421.5, phase: 0.9),
            LoadCurve.Wave(amplitude: 3, period: 7.3, phase: -0.2),
        ]
    )

    @Test func aWaveStartsAtItsPhase() {
        #expect(LoadCurve.Wave(amplitude: 5, period: 8, phase: 0).value(at: 0) == 0)
        #expect(LoadCurve.Wave(amplitude: 5, period: 8, phase: 0.25).value(at: 0) == 5)
        #expect(LoadCurve.Wave(amplitude: 5, period: 8).value(at: 2) == 5)
        #expect(LoadCurve.Wave(amplitude: 5, period: 8).value(at: 8e9 + 6) == -5)
    }

    @Test(arguments: [0, -1, Double.nan])
    func aWaveWithoutAPeriodIsFlat(period: Double) {
        let wave = LoadCurve.Wave(amplitude: 5, period: period, phase: 0.25)
        #expect(wave.value(at: 3) == 0)
        #expect(wave.integral(from: 0, to: 10) == 0)
    }

    @Test func integratesLinearCurvesExactly() {
        #expect(LoadCurve.constant(watts: 250).joules(from: -4, to: 6) == 2500)
        let ramp = LoadCurve.ramp(fromWatts: 100, wattsPerSecond: 2)
        #expect(ramp.watts(at: 10) == 120)
        #expect(ramp.joules(from: 0, to: 10) == 1100)
        #expect(ramp.joules(from: 10, to: 0) == -1100)
    }

    @Test(arguments: [(0.0, 1.0), (-50.0, 50.0), (0.0, 3600.0), (1e6, 1.01e6), (12.5, 12.5)])
    func energyAgreesWithSimpsonsRule(start: Double, end: Double) {
        let intervals = 20_000
        let width = (end - start) / Double(intervals)
        let sum = (0...intervals).reduce(0.0) { sum, index in
            let weight = index == 0 || index == intervals ? 1.0 : index.isMultiple(of: 2) ? 2 : 4
            return sum + weight * Self.wavy.watts(at: start + Double(index) * width)
        }
        let numeric = sum * width / 3
        #expect(abs(Self.wavy.joules(from: start, to: end) - numeric) <= 1e-9 * max(1, abs(numeric)))
    }

    @Test func phasesAddUpToTheTotal() {
        let times = stride(from: 0.0, through: 20_000, by: 5)
        let parts = zip(times, times.dropFirst()).reduce(0.0) { $0 + Self.wavy.joules(from: $1.0, to: $1.1) }
        let whole = Self.wavy.joules(from: 0, to: 20_000)
        #expect(abs(parts - whole) < 1e-10 * whole)
    }

    @Test func aTinySpanKeepsItsPrecision() {
        let span = 1e-6
        let energy = Self.wavy.joules(from: 1000, to: 1000 + span)
        #expect(abs(energy / span - Self.wavy.watts(at: 1000)) < 1e-3)
    }
}
