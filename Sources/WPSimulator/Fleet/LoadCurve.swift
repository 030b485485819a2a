// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Power over time in closed form: a base, a slope, and sine waves. Its energy between two times is exact, as a
/// reference for an integrating meter.
public struct LoadCurve: Sendable, Hashable {
    /// Power at time 0 without the waves, in watts.
    package var baseWatts: Double
    /// The slope in watts per second.
    package var wattsPerSecond: Double
    /// The waves around the base.
    package var waves: [Wave]

    /// Creates a curve.
    package init(baseWatts: Double, wattsPerSecond: Double = 0, waves: [Wave] = []) {
        self.baseWatts = baseWatts
        self.wattsPerSecond = wattsPerSecond
        self.waves = waves
    }

    /// A constant curve.
    public static func constant(watts: Double) -> LoadCurve {
        LoadCurve(baseWatts: watts)
    }

    /// A straight line, for which the trapezoidal rule is exact.
    public static func ramp(fromWatts: Double, wattsPerSecond: Double) -> LoadCurve {
        LoadCurve(baseWatts: fromWatts, wattsPerSecond: wattsPerSecond)
    }

    /// Power in watts.
    /// - Parameter seconds: the time, from the curve's start.
    package func watts(at seconds: Double) -> Double {
        waves.reduce(baseWatts + wattsPerSecond * seconds) { $0 + $1.value(at: seconds) }
    }

    /// Energy in joules between two times: the integral of power, negative if the second time is earlier.
    package func joules(from start: Double, to end: Double) -> Double {
        let span = end - start
        let straight = (baseWatts + wattsPerSecond * (start + span / 2)) * span
        return waves.reduce(straight) { $0 + $1.integral(from: start, to: end) }
    }

    /// A sine wave.
    package struct Wave: Sendable, Hashable {
        /// The amplitude.
        package var amplitude: Double
        /// The period in seconds. A wave with a period of 0 or less is flat.
        package var period: Double
        /// The phase at time 0 in turns: 0.25 is the crest.
        package var phase: Double

        /// Creates a wave.
        package init(amplitude: Double, period: Double, phase: Double = 0) {
            self.amplitude = amplitude
            self.period = period
            self.phase = phase
        }

        /// The value of the wave.
        package func value(at seconds: Double) -> Double {
            guard period > 0 else { return 0 }
            return amplitude * sine(turns: seconds / period + phase)
        }

        /// The integral of the wave. The difference of cosines is written as a product, to preserve precision for times
        /// that are close together.
        package func integral(from start: Double, to end: Double) -> Double {
            guard period > 0 else { return 0 }
            let middle = start + (end - start) / 2
            let halfSpan = (end - start) / 2 / period
            return amplitude * period / .pi * sine(turns: middle / period + phase) * sine(turns: halfSpan)
        }

        /// The sine of an angle in turns. Removes whole turns first, because multiples of pi are inexact.
        private func sine(turns: Double) -> Double {
            sin(2 * .pi * turns.remainder(dividingBy: 1))
        }
    }
}

extension LoadCurve {
    /// A load like that of a rack, with daily, minute and second variations.
    ///
    /// It stays between 12 % and 82 % of the rating.
    /// - Parameters:
    ///   - ratedWatts: the device's rating in watts.
    ///   - origin: time 0 of the curve, in seconds since 1970, so that a seed gives the same power at the same time of
    ///     day, regardless of the start.
    ///   - generator: the source of the curve's shape.
    static func rack(ratedWatts: Double, origin: Double, using generator: inout SeededGenerator) -> LoadCurve {
        let base = ratedWatts * generator.number(in: 0.25...0.55)
        func wave(_ share: ClosedRange<Double>, _ period: ClosedRange<Double>) -> Wave {
            let amplitude = base * generator.number(in: share)
            let period = generator.number(in: period)
            let phase = generator.number(in: 0...1) + origin.remainder(dividingBy: period) / period
            return Wave(amplitude: amplitude, period: period, phase: phase)
        }
        let day = 86_400.0
        let crestHour = generator.number(in: 13...16)
        let daily = Wave(
            amplitude: base * generator.number(in: 0.1...0.25),
            period: day,
            phase: origin.remainder(dividingBy: day) / day + 0.25 - crestHour / 24
        )
        let minutes = [90.0...240, 300...700, 900...1800].map { wave(0.02...0.06, $0) }
        let seconds = [5.0...8, 9...14, 15...24, 25...40].map { wave(0.003...0.01, $0) }
        return LoadCurve(baseWatts: base, waves: [daily] + minutes + seconds)
    }
}
