// SPDX-License-Identifier: MIT

import Testing

@testable import WPMetrics

/// The short way to write a family whose numbers alone have changed. What it writes is compared with the encoder's in
/// `LiveExpositionTests`; here, that it is taken at all.
struct FamilyTemplateTests {
    private static func encoded(_ family: MetricFamily, _ syntax: ExpositionFormat.Syntax) -> [UInt8] {
        let bytes = ExpositionFormat(syntax).encode([family])
        let end = Array("# EOF\n".utf8)
        return bytes.suffix(end.count).elementsEqual(end) ? bytes.dropLast(end.count) : bytes
    }

    private static func values(_ number: Double) throws -> [MetricValue] {
        let histogram = try HistogramValue(
            buckets: [
                .init(upperBound: 0.5, cumulativeCount: UInt64(number)),
                .init(upperBound: .infinity, cumulativeCount: UInt64(number) + 3),
            ],
            sum: number + 0.25
        )
        return [.value(number), .histogram(histogram)]
    }

    @Test(arguments: ExpositionFormat.Syntax.allCases, [MetricType.gauge, .histogram])
    func isTakenForNumbersAndHistograms(_ syntax: ExpositionFormat.Syntax, _ type: MetricType) throws {
        let descriptor = try MetricDescriptor(name: "x", help: "Help.", type: type, labelNames: ["i"])
        let labels = try ["a", "b"].map { try LabelSet(["i": $0]) }
        func family(_ number: Double) throws -> MetricFamily {
            let value = try Self.values(number)[type == .gauge ? 0 : 1]
            return MetricFamily(descriptor, labels.map { Metric(labels: $0, value) })
        }
        let (first, next) = (try family(1), try family(123_456))
        let template = try #require(FamilyTemplate(first, syntax, encoded: Self.encoded(first, syntax)))
        var buffer = Array("before\n".utf8)
        #expect(template.write(next, into: &buffer))
        #expect(buffer == Array("before\n".utf8) + Self.encoded(next, syntax))
        // Other series are the encoder's business.
        let before = buffer
        #expect(!template.write(MetricFamily(descriptor, Array(next.metrics.dropLast())), into: &buffer))
        #expect(buffer == before)
    }
}
