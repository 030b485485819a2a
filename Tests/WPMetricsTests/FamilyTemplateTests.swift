// SPDX-License-Identifier: MIT

import Testing

@testable import WPMetrics

/// The short way to write a family whose numbers alone have changed. What it writes is compared with the encoder's in
/// `LiveExpositionTests`; here, that it is taken at all.
struct FamilyTemplateTests {
    private let registry = Registry()

    private static func encoded(_ family: MetricFamily, _ syntax: ExpositionFormat.Syntax) -> [UInt8] {
        let bytes = ExpositionFormat(syntax).encode([family])
        let end = Array("# EOF\n".utf8)
        return bytes.suffix(end.count).elementsEqual(end) ? bytes.dropLast(end.count) : bytes
    }

    private func family() async throws -> MetricFamily {
        try #require(await registry.gather().families.first)
    }

    /// - Parameter change: changes the numbers, and no series.
    private func check(_ syntax: ExpositionFormat.Syntax, change: () -> Void) async throws {
        let first = try await family()
        let template = try #require(FamilyTemplate(first, syntax, encoded: Self.encoded(first, syntax)))
        change()
        let next = try await family()
        var buffer = Array("before\n".utf8)
        #expect(template.write(next, into: &buffer))
        #expect(buffer == Array("before\n".utf8) + Self.encoded(next, syntax))
        #expect(Self.encoded(next, syntax) != Self.encoded(first, syntax))
        // Other series are the encoder's business.
        let before = buffer
        #expect(!template.write(MetricFamily(next.descriptor, Array(next.metrics.dropLast())), into: &buffer))
        #expect(buffer == before)
    }

    @Test(arguments: ExpositionFormat.Syntax.allCases)
    func isTakenForNumbers(_ syntax: ExpositionFormat.Syntax) async throws {
        let gauges = try registry.gauge(name: "x", help: "Help.", labelNames: ["i"])
        let children = try ["a", "b"].map { try gauges.with(["i": $0]) }
        try await check(syntax) { for child in children { child.set(123_456.5) } }
    }

    @Test(arguments: ExpositionFormat.Syntax.allCases)
    func isTakenForHistograms(_ syntax: ExpositionFormat.Syntax) async throws {
        let buckets = try HistogramBuckets.linear(start: 1, width: 1, count: 3)
        let histograms = try registry.histogram(name: "x", help: "Help.", labelNames: ["i"], buckets: buckets)
        let children = try ["a", "b"].map { try histograms.with(["i": $0]) }
        try await check(syntax) {
            for child in children { for value in [0.5, 1.5, 2.5, 1e6] { child.observe(value) } }
        }
    }
}
