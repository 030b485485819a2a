// SPDX-License-Identifier: MIT

import ArbitraryMetrics
import Testing
import WPMetrics
import WPTestKit
import WPTestSupport

/// The short cuts by which plain samples are written change no byte.
struct SampleChunkTests {
    /// What a number has always looked like: whole ones as such, others as the standard library prints them.
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
    func numbersLookAsTheStandardLibraryPrintsThem(seed: UInt64) throws {
        var arbitrary = ArbitraryFamilies(generator: SeededGenerator(seed: seed), isOpenMetrics: false)
        var numbers: [Double] = []
        for _ in 0..<1000 {
            let number = arbitrary.number()
            // Short decimals of any size, and what is next to them.
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

    /// Labels that fill a piece of memory to its end, or are longer than it.
    @Test(arguments: [1, 100, 5000, 16_300, 16_340, 16_345, 16_350, 16_384, 100_000])
    func longLabelsAreWrittenWhole(length: Int) throws {
        let descriptor = try MetricDescriptor(name: "x", help: "", type: .counter)
        let metrics = try (0..<7).map { index in
            Metric(
                labels: try LabelSet(["a": String(repeating: "y", count: length + index), "i": String(index)]),
                value: Double(index) + 0.5,
                timestamp: index == 3 ? 1 : nil
            )
        }
        let text = String(decoding: TextFormat.encode([MetricFamily(descriptor, metrics)]), as: UTF8.self)
        let expected = metrics.enumerated().map { index, metric in
            "x\(metric.labels) \(index).5\(index == 3 ? " 1000" : "")\n"
        }
        #expect(text == "# TYPE x counter\n" + expected.joined())
        let openMetrics = String(decoding: OpenMetricsFormat.encode([MetricFamily(descriptor, metrics)]), as: UTF8.self)
        let totals = metrics.enumerated().map { index, metric in
            "x_total\(metric.labels) \(index).5\(index == 3 ? " 1" : "")\n"
        }
        #expect(openMetrics == "# TYPE x counter\n" + totals.joined() + "# EOF\n")
    }

    @Test func manySamplesAreAllThere() throws {
        let descriptor = try MetricDescriptor(name: "x", help: "", type: .gauge)
        let labels = try (0..<10_000).map { try LabelSet(["i": String($0)]) }
        let family = MetricFamily(descriptor, labels.enumerated().map { Metric(labels: $1, value: Double($0)) })
        let lines = String(decoding: TextFormat.encode([family]), as: UTF8.self).split(separator: "\n").dropFirst()
        #expect(Array(lines) == labels.enumerated().map { "x\($1) \($0)"[...] })
    }

    /// The order is kept between gathers, and follows what comes and goes.
    @Test func childrenStaySortedAsTheyComeAndGo() async throws {
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
