// SPDX-License-Identifier: MIT

import Testing
import WPEnergy
import WPTestSupport

@Suite struct CompensatedSumTests {
    @Test func keepsTermsThatADoubleWouldLose() {
        var sum = CompensatedSum()
        sum.add(1e16)
        for _ in 0..<10 { sum.add(0.25) }
        #expect(sum.value == 1e16 + 2)
        #expect(sum.compensation == 0.5)
    }

    @Test func resumesExactly() {
        var generator = SeededGenerator(seed: 1)
        var through = CompensatedSum()
        var resumed = CompensatedSum()
        for _ in 0..<10_000 {
            let term = Double.random(in: 0...5000, using: &generator)
            through.add(term)
            resumed.add(term)
            resumed = CompensatedSum(resumed.value, compensation: resumed.compensation)
            #expect(resumed == through)
        }
    }

    @Test func neverDecreasesForNonNegativeTerms() {
        var generator = SeededGenerator(seed: 2)
        var sum = CompensatedSum()
        for _ in 0..<50_000 {
            let before = sum.value
            let exponent = Double.random(in: -300...12, using: &generator)
            sum.add(Double(sign: .plus, exponent: Int(exponent), significand: 1.7))
            #expect(sum.value >= before)
            #expect(sum.compensation.magnitude <= sum.value.ulp / 2)
        }
    }

    @Test func aYearOfFiveSecondStepsIsExactTo1MilliwattHour() {
        // Neither 195.1 W nor a delayed interval has an exact Double representation.
        let steps = 365 * 24 * 720
        let term = 195.1 * 5.000_123
        var sum = CompensatedSum()
        for _ in 0..<steps { sum.add(term) }
        let exact = DoubleDouble(term) * DoubleDouble(Double(steps))
        #expect(abs(exact.relativeError(of: sum.value)) <= 1.2e-16)
        #expect(abs((sum.value - exact.high) - exact.low) / 3600 < 0.001)
    }
}
