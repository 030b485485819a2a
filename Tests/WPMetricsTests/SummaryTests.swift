// SPDX-License-Identifier: MIT

import Fixtures
import Testing
import WPMetrics
import WPTestKit
import WPTestSupport

/// Quantiles of a sliding window.
struct SummaryTests {
    @Test func startsWithoutObservations() throws {
        let value = try Summary().value
        #expect(value.count == 0)
        #expect(value.sum == 0)
        #expect(value.quantiles.map(\.quantile) == [0.5, 0.9, 0.99])
        #expect(value.quantiles.allSatisfy { $0.value.isNaN })
    }

    @Test(arguments: [[0.5, 0.1], [-0.1], [1.1], [.nan], [0.5, 0.5]])
    func checksQuantiles(_ quantiles: [Double]) {
        let error = #expect(throws: MetricError.self) { try Summary(quantiles: quantiles) }
        #expect(error?.code == .invalidQuantiles)
    }

    /// A quantile is always within 1 % of the observation with that rank.
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func estimatesQuantilesWithinOnePercent(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        let parts = [0, 0.1, 0.5, 0.9, 0.99, 1]
        let summary = try Summary(quantiles: parts)
        let scale = Double.random(in: 1e-6...1e6, using: &generator)
        let offset = seed.isMultiple(of: 2) ? -0.5 : 0
        let numbers = (0..<Int.random(in: 1...2000, using: &generator)).map { index in
            index.isMultiple(of: 50) ? 0 : (Double.random(in: 0...1, using: &generator) + offset) * scale
        }
        for number in numbers { summary.observe(number) }
        let sorted = numbers.sorted()
        for quantile in summary.value.quantiles {
            let exact = sorted[Int((quantile.quantile * Double(sorted.count - 1)).rounded(.down))]
            #expect(abs(quantile.value - exact) <= abs(exact) * 0.0101)
        }
        #expect(summary.value.count == UInt64(numbers.count))
        #expect(summary.value.sum == numbers.reduce(0, +))
    }

    @Test func keepsTheSignOfSmallNumbers() throws {
        for sign in [1.0, -1] {
            let summary = try Summary(quantiles: [0, 1])
            for number in [0.001, 0.25, 1] { summary.observe(number * sign) }
            let ends = summary.value.quantiles.map(\.value)
            let expected = sign > 0 ? [0.001, 1] : [-1, -0.001]
            #expect(zip(ends, expected).allSatisfy { abs($0 - $1) <= abs($1) * 0.0101 })
        }
    }

    @Test func dropsOldObservations() throws {
        let clock = TestClock()
        let summary = try Summary(quantiles: [0.5], window: .seconds(50), timeSource: clock)
        func median() -> Double { summary.value.quantiles[0].value }
        summary.observe(1000)
        clock.advance(by: .seconds(30))
        summary.observe(10)
        summary.observe(10)
        #expect(abs(median() - 10) <= 0.1)
        clock.advance(by: .seconds(15))
        summary.observe(1000)
        #expect(abs(median() - 10) <= 0.1)
        // The first observation is over 50 s old, the next two are 25 s old.
        clock.advance(by: .seconds(10))
        summary.observe(1000)
        summary.observe(1000)
        #expect(abs(median() - 1000) <= 10)
        clock.advance(by: .seconds(44))
        #expect(!median().isNaN)
        clock.advance(by: .seconds(2))
        #expect(median().isNaN)
        clock.advance(by: .seconds(1_000_000_000))
        summary.observe(7)
        #expect(abs(median() - 7) <= 0.07)
        #expect(summary.value.count == 7)
        #expect(summary.value.sum == 4027)
    }

    @Test func survivesExtremes() throws {
        let summary = try Summary(quantiles: [0, 0.5, 1])
        for value in [.infinity, -.infinity, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .nan, -0.0, 0] {
            summary.observe(value as Double)
        }
        #expect(summary.value.count == 6)
        #expect(summary.value.quantiles.allSatisfy { $0.value.isFinite })
        #expect(summary.value.quantiles[1].value == 0)
    }

    @Test func isExposed() async throws {
        let registry = Registry()
        let summary = try registry.summary(name: "x_seconds", help: "", unit: "seconds", quantiles: [0.5])
        summary.observe(.milliseconds(0))
        let family = try registry.summary(name: "y", help: "", labelNames: ["a"], quantiles: [])
        try family.with("1").observe(2)
        #expect(
            String(decoding: TextFormat.encode(await registry.gather().families), as: UTF8.self) == """
                # TYPE x_seconds summary
                x_seconds{quantile="0.5"} 0
                x_seconds_sum 0
                x_seconds_count 1
                # TYPE y summary
                y_sum{a="1"} 2
                y_count{a="1"} 1

                """
        )
        #expect(throws: MetricError.self) { try registry.summary(name: "z", help: "", quantiles: [2]) }
        #expect(throws: MetricError.self) { try registry.summary(name: "z", help: "", labelNames: ["quantile"]) }
    }
}
