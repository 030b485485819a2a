// SPDX-License-Identifier: MIT

import Fixtures
import Synchronization
import Testing
import WPMetrics
import WPTestKit
import WPTestSupport

/// Only changed families are encoded again.
struct LiveExpositionTests {
    /// Returns the families that were set, like a collector that builds them once per poll.
    private final class StubCollector: ImmediateCollector {
        private let families = Mutex<[MetricFamily]>([])
        var descriptors: [MetricDescriptor] { [] }
        func collectNow() -> [MetricFamily] { families.withLock { $0 } }
        func set(_ families: [MetricFamily]) { self.families.withLock { $0 = families } }
    }

    private let registry: Registry
    private let exposition: LiveExposition
    private let stub = StubCollector()

    init() {
        registry = Registry()
        exposition = LiveExposition(of: registry)
    }

    private static func family(_ name: String, _ value: Double, count: Int = 600) throws -> MetricFamily {
        let descriptor = try MetricDescriptor(name: name, help: "Help.", type: .gauge, labelNames: ["i"])
        // Unsorted, so that the registry creates another array.
        return MetricFamily(
            descriptor,
            try (0..<count).map { Metric(labels: try LabelSet(["i": String($0)]), value: value) }
        )
    }

    /// Scrapes, and compares with the encoded gather.
    @discardableResult
    private func scrape(_ format: ExpositionFormat = .text) async -> [[UInt8]] {
        let scrape = await exposition.scrape(as: format)
        let gathering = await registry.gather()
        #expect(Array(scrape.parts.joined()) == format.encode(gathering.families))
        #expect(scrape.failures.map(\.description) == gathering.failures.map(\.description))
        return scrape.parts
    }

    @Test(arguments: ExpositionFormat.Syntax.allCases)
    func separatesFamiliesThatChangeAtEveryScrape(_ syntax: ExpositionFormat.Syntax) async throws {
        let format = ExpositionFormat(syntax)
        _ = try registry.counter(name: "a_total", help: "Quiet.")
        let busy = try registry.counter(name: "b_total", help: "Busy.")
        _ = try registry.counter(name: "c_total", help: "Quiet.")
        var last: [[UInt8]] = []
        for round in 0..<5 {
            busy.increment()
            let parts = await scrape(format)
            if round > 2 {
                #expect(parts[0] == last[0])
                #expect(parts[1] != last[1])
                #expect(parts[2] == last[2])
            }
            last = parts
        }
        #expect(last.count == (syntax == .text ? 3 : 4))
    }

    @Test func putsALargeFamilyIntoItsOwnPart() async throws {
        try registry.register(stub)
        stub.set([
            try Self.family("a", 1, count: 1), try Self.family("b", 1, count: 2000), try Self.family("c", 1, count: 1),
        ])
        #expect(await scrape().count == 3)
        #expect(exposition.size > 16 << 10)
    }

    /// An unchanged part keeps its address: it was neither encoded nor copied.
    @Test func encodesOnlyChangedFamilies() async throws {
        func address(_ part: [UInt8]) -> UnsafeRawPointer? { part.withUnsafeBytes(\.baseAddress) }
        try registry.register(stub)
        let (first, second) = (try Self.family("a", 1, count: 2000), try Self.family("b", 2, count: 2000))
        stub.set([first, second])
        let before = await scrape()
        stub.set([first, try Self.family("b", 3, count: 2000)])
        let after = await scrape()
        #expect(address(after[0]) == address(before[0]))
        #expect(address(after[1]) != address(before[1]))
    }

    /// Small families are joined once, and families with the same values in new arrays are unchanged.
    @Test func joinsOnlyChangedFamilies() async throws {
        func address(_ part: [UInt8]) -> UnsafeRawPointer? { part.withUnsafeBytes(\.baseAddress) }
        try registry.register(stub)
        stub.set([try Self.family("a", 1, count: 10), try Self.family("b", 1, count: 10)])
        let before = await scrape()
        stub.set([try Self.family("a", 1, count: 10), try Self.family("b", 1, count: 10)])
        let after = await scrape()
        #expect(before.count == 1)
        #expect(address(after[0]) == address(before[0]))
        stub.set([try Self.family("a", 1, count: 10), try Self.family("b", 2, count: 10)])
        #expect(await scrape() != after)
        // With the same number of families, but another first one.
        stub.set([try Self.family("A", 1, count: 10), try Self.family("b", 2, count: 10)])
        await scrape()
    }

    /// All instruments, while they count, and gain and lose children, in both formats.
    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func exposesCurrentInstruments(seed: UInt64) async throws {
        var generator = SeededGenerator(seed: seed)
        let counters = try registry.counter(name: "counters_total", help: "", labelNames: ["i"])
        let gauges = try registry.gauge(name: "gauges", help: "Gauges.", labelNames: ["i"])
        let histograms = try registry.histogram(name: "histograms", help: "Times.", labelNames: ["i"])
        let negative = try registry.histogram(name: "negative", help: "", buckets: HistogramBuckets([-1, 1]))
        let summary = try registry.summary(name: "summary", help: "Sizes.")
        let exemplar = try Exemplar(labels: LabelSet(["trace": "1"]), value: 1)
        for _ in 0..<200 {
            let label = String(Int.random(in: 0..<4, using: &generator))
            switch Int.random(in: 0..<12, using: &generator) {
            case 0: try counters.with(label).increment()
            case 1: try counters.with(label).increment(by: 0.5)
            case 2: try counters.with(label).increment(by: 0, exemplar: exemplar)
            case 3: counters.remove(label)
            case 4: try gauges.with(label).set(Double.random(in: -1e9...1e9, using: &generator))
            case 5: gauges.removeAll()
            case 6: try histograms.with(label).observe(Double.random(in: 0...10, using: &generator))
            case 7: try histograms.with(label).observe(0.1, exemplar: exemplar)
            case 8: histograms.remove(label)
            case 9: negative.observe(Double.random(in: -5...1, using: &generator))
            case 10: summary.observe(Double.random(in: 0...10, using: &generator))
            default: break
            }
            await scrape(Bool.random(using: &generator) ? .text : .openMetrics)
        }
    }

    /// Collectors appear, disappear, fail and block.
    @Test func collectorsCanBeAddedAndRemoved() async throws {
        func families() async -> [String] {
            String(decoding: await scrape().joined(), as: UTF8.self).split(separator: "\n").compactMap { line in
                line.hasPrefix("# TYPE ") ? line.split(separator: " ").dropFirst(2).first.map(String.init) : nil
            }
        }
        struct Waiting: MetricCollector {
            let family: MetricFamily
            var descriptors: [MetricDescriptor] { [family.descriptor] }
            func collect() async throws -> [MetricFamily] {
                await Task.yield()
                return [family]
            }
        }
        struct Failing: ImmediateCollector {
            var descriptors: [MetricDescriptor] { [] }
            func collectNow() throws -> [MetricFamily] { throw CancellationError() }
        }
        try registry.register(stub)
        stub.set([try Self.family("a", 1)])
        await scrape()
        let waiting = try registry.register(Waiting(family: try Self.family("b", 2)))
        for _ in 0..<3 { #expect(await families() == ["a", "b"]) }
        let failing = try registry.register(Failing())
        for _ in 0..<3 { #expect(await families() == ["a", "b"]) }
        registry.unregister(waiting)
        #expect(await families() == ["a"])
        registry.unregister(failing)
        #expect(await families() == ["a"])
    }

    @Test func familiesCanAppearAndDisappear() async throws {
        try registry.register(stub)
        let (a, b, c) = (try Self.family("a", 1), try Self.family("b", 2), try Self.family("c", 3))
        for families in [[a, b, c], [a, b, c], [a, c], [a, c], [c], [a, b, c], [], [b, c], [a, b, c]] {
            stub.set(families)
            let segments = await scrape()
            #expect(segments.isEmpty == families.isEmpty)
        }
    }

    /// A family with another help text counts as changed, even if its metrics are the same.
    @Test func comparesMetadata() async throws {
        try registry.register(stub)
        let family = try Self.family("a", 1)
        for help in ["One.", "One.", "Other.", "One."] {
            let descriptor = try MetricDescriptor(name: "a", help: help, type: .gauge)
            stub.set([MetricFamily(descriptor, family.metrics)])
            let text = String(decoding: await scrape().joined(), as: UTF8.self)
            #expect(text.hasPrefix("# HELP a \(help)\n"))
        }
    }

    @Test func detectsMetricsChangedInPlace() async throws {
        try registry.register(stub)
        var family = try Self.family("a", 1)
        for value in 0..<4 {
            family.metrics[7] = Metric(labels: family.metrics[7].labels, value: Double(value))
            stub.set([family])
            await scrape()
            await scrape()
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func bytesAlwaysEqualThoseOfTheEncoder(seed: UInt64) async throws {
        try registry.register(stub)
        var arbitrary = ArbitraryFamilies(generator: SeededGenerator(seed: seed), isOpenMetrics: true)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<30 {
            if Bool.random(using: &generator) { stub.set(try arbitrary.families() + [try Self.family("w", 1)]) }
            await scrape(Bool.random(using: &generator) ? .text : .openMetrics)
        }
    }

    /// An invalid family is reported at each gather.
    @Test func reportsErrorsAtEachScrape() async throws {
        try registry.register(stub)
        let descriptor = try MetricDescriptor(name: "a_total", help: "Help.", type: .counter)
        stub.set([
            MetricFamily(descriptor, [Metric(value: -1)]),
            MetricFamily(
                try Self.family("b", 1).descriptor,
                [
                    Metric(labels: try LabelSet(["i": "1"]), value: 1),
                    Metric(labels: try LabelSet(["i": "1"]), value: 2),
                ]
            ),
        ])
        for _ in 0..<3 {
            let gathering = await registry.gather()
            #expect(gathering.failures.map(\.code) == [.invalidMetric, .duplicateMetric])
            #expect(gathering.families.map(\.metrics.count) == [1])
        }
    }

    /// A family of two collectors is merged at each gather, even if only one of them has changed.
    @Test func mergesFamiliesAtEachScrape() async throws {
        let other = StubCollector()
        try registry.register(stub)
        try registry.register(other)
        let whole = try Self.family("a", 1, count: 200)
        stub.set([MetricFamily(whole.descriptor, Array(whole.metrics.prefix(150)))])
        for count in [150, 0, 50, 50] {
            other.set([MetricFamily(whole.descriptor, Array(whole.metrics.suffix(200 - count)))])
            let gathering = await registry.gather()
            #expect(gathering.families.first?.metrics.count == 200)
            #expect(gathering.failures.isEmpty == (count >= 150))
        }
    }
}
