// SPDX-License-Identifier: MIT

import Fixtures
import Testing
import WPMetrics
import WPTestKit
import WPTestSupport

/// Samples of numbers.
struct SampleTests {
    /// Whole numbers as integers, others as the standard library formats them.
    private static func reference(_ number: Double) -> String {
        if number.isNaN { return "NaN" }
        if number.isInfinite { return number < 0 ? "-Inf" : "+Inf" }
        guard number.magnitude <= 0x1p53, number.rounded(.towardZero) == number else { return number.description }
        return (number.sign == .minus ? "-" : "") + String(UInt64(number.magnitude))
    }

    private static func encoded(_ numbers: [Double]) throws -> [Substring] {
        let descriptor = try MetricDescriptor(name: "x", help: "", type: .gauge)
        let text = TextFormat.encode([MetricFamily(descriptor, numbers.map { Metric(value: $0) })])
        return String(decoding: text, as: UTF8.self).split(separator: "\n").dropFirst().map { $0.dropFirst(2) }
    }

    @Test(arguments: 1...10 as ClosedRange<UInt64>)
    func formatsNumbersLikeTheStandardLibrary(seed: UInt64) throws {
        var arbitrary = ArbitraryFamilies(generator: SeededGenerator(seed: seed), isOpenMetrics: false)
        var numbers: [Double] = []
        for _ in 0..<1000 {
            let number = arbitrary.number()
            // Short decimals of any size, and adjacent numbers.
            let short =
                (number.truncatingRemainder(dividingBy: 1e15)).rounded()
                / [1, 10, 100, 1000, 10_000][numbers.count % 5]
            numbers += [number, short, short.nextUp, -short.nextDown, short / 1e6]
        }
        for (text, number) in zip(try Self.encoded(numbers), numbers) {
            try #require(text == Self.reference(number), "\(number) of bits \(number.bitPattern)")
        }
    }

    @Test(
        arguments: [
            (0.001, "0.001"), (0.01, "0.01"), (0.1, "0.1"), (0.10, "0.1"), (1.5, "1.5"), (230.12, "230.12"),
            (-230.125, "-230.125"), (999_999_999_999.5, "999999999999.5"), (1e12, "1000000000000"), (-0.0, "-0"),
            (0.0005, "0.0005"), (0.1 + 0.2, "0.30000000000000004"), (1e-5, "1e-05"), (0x1p53, "9007199254740992"),
        ]
    )
    func numbersAreShort(_ number: Double, _ text: String) throws {
        #expect(try Self.encoded([number]) == [text[...]])
    }

    @Test func writesAllOfManySamples() throws {
        let descriptor = try MetricDescriptor(name: "x", help: "", type: .gauge)
        let labels = try (0..<10_000).map { try LabelSet(["i": String($0)]) }
        let family = MetricFamily(descriptor, labels.enumerated().map { Metric(labels: $1, value: Double($0)) })
        let lines = String(decoding: TextFormat.encode([family]), as: UTF8.self).split(separator: "\n").dropFirst()
        #expect(Array(lines) == labels.enumerated().map { "x\($1) \($0)"[...] })
    }

    /// The order is cached between gathers, and follows changes.
    @Test func childrenStaySortedAcrossChanges() async throws {
        let registry = Registry()
        let family = try registry.gauge(name: "x", help: "", labelNames: ["a"])
        func names() async -> [String] {
            await registry.gather().families.first?.metrics.compactMap { $0.labels["a"] } ?? []
        }
        for name in ["c", "a", "b"] { try family.with(name).set(1) }
        #expect(await names() == ["a", "b", "c"])
        _ = try family.with("ab")
        #expect(await names() == ["a", "ab", "b", "c"])
        family.remove("b")
        #expect(await names() == ["a", "ab", "c"])
        family.removeAll()
        #expect(await names() == [])
    }
}
