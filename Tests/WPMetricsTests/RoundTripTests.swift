// SPDX-License-Identifier: MIT

import Fixtures
import Testing
import WPMetrics
import WPTestKit
import WPTestSupport

/// Expositions round-trip.
struct RoundTripTests {
    private static let seeds: [UInt64] = Array(1...20)

    @Test(arguments: seeds)
    func textFormatRoundTrips(seed: UInt64) throws {
        var arbitrary = ArbitraryFamilies(generator: SeededGenerator(seed: seed), isOpenMetrics: false)
        for _ in 0..<25 {
            let families = try arbitrary.families()
            let encoded = TextFormat.encode(families)
            let parsed = try ExpositionFormat.text.parse(encoded)
            try #require(
                canonical(parsed) == canonical(families),
                "seed \(seed): \(String(decoding: encoded, as: UTF8.self))"
            )
        }
    }

    @Test(arguments: seeds)
    func openMetricsRoundTrips(seed: UInt64) throws {
        var arbitrary = ArbitraryFamilies(generator: SeededGenerator(seed: seed), isOpenMetrics: true)
        for _ in 0..<25 {
            let families = try arbitrary.families()
            let encoded = OpenMetricsFormat.encode(families)
            let parsed = try ExpositionFormat.openMetrics.parse(encoded)
            try #require(
                canonical(parsed) == canonical(families),
                "seed \(seed): \(String(decoding: encoded, as: UTF8.self))"
            )
        }
    }

    @Test(arguments: seeds)
    func valuesRoundTripExactly(seed: UInt64) throws {
        var arbitrary = ArbitraryFamilies(generator: SeededGenerator(seed: seed), isOpenMetrics: false)
        let descriptor = try MetricDescriptor(name: "x", help: "", type: .gauge)
        let numbers = (0..<2000).map { _ in arbitrary.number() }
        let metrics = try numbers.enumerated().map {
            Metric(labels: try LabelSet(["i": String($0.offset)]), value: $0.element)
        }
        let parsed = try ExpositionFormat.text.parse(TextFormat.encode([MetricFamily(descriptor, metrics)]))
        let values = try #require(parsed.first).metrics.map { metric -> Double in
            guard case .value(let value) = metric.value else { return .signalingNaN }
            return value
        }
        try #require(values.count == numbers.count)
        for (value, number) in zip(values, numbers) {
            try #require(value.bitPattern == number.bitPattern || (value.isNaN && number.isNaN), "\(number)")
        }
    }

    /// Damaged expositions are parsed or rejected, without a trap or endless loop.
    @Test(arguments: seeds)
    func survivesDamage(seed: UInt64) throws {
        var arbitrary = ArbitraryFamilies(generator: SeededGenerator(seed: seed), isOpenMetrics: true)
        var rejected = 0
        for _ in 0..<100 {
            var bytes = OpenMetricsFormat.encode(try arbitrary.families())
            for _ in 0..<Int.random(in: 1...4, using: &arbitrary.generator) {
                guard let index = bytes.indices.randomElement(using: &arbitrary.generator) else { continue }
                switch Int.random(in: 0...2, using: &arbitrary.generator) {
                case 0: bytes.remove(at: index)
                case 1: bytes[index] = UInt8.random(in: .min ... .max, using: &arbitrary.generator)
                default: bytes.insert(bytes[index], at: index)
                }
            }
            do {
                _ = try ExpositionFormat.openMetrics.parse(bytes)
            } catch {
                #expect(error.line >= 1)
                rejected += 1
            }
            _ = try? ExpositionFormat.text.parse(bytes)
        }
        #expect(rejected > 0)
    }
}
