// SPDX-License-Identifier: MIT

import ArbitraryMetrics
import Synchronization
import Testing
import WPMetrics
import WPTestSupport

/// What is unchanged is not encoded again, and nothing else is taken for unchanged.
struct ExpositionCacheTests {
    /// Gives the families that it was last told, as a collector does that builds them once a reading.
    private final class Held: ImmediateCollector {
        private let families = Mutex<[MetricFamily]>([])
        var descriptors: [MetricDescriptor] { [] }
        func collectNow() -> [MetricFamily] { families.withLock { $0 } }
        func hold(_ families: [MetricFamily]) { self.families.withLock { $0 = families } }
    }

    private let registry = Registry()
    private let cache = ExpositionCache()
    private let held = Held()

    private static func family(_ name: String, _ value: Double, count: Int = 200) throws -> MetricFamily {
        let descriptor = try MetricDescriptor(name: name, help: "Help.", type: .gauge, labelNames: ["i"])
        // Not sorted, so that the registry has to make another array.
        return MetricFamily(
            descriptor,
            try (0..<count).map { Metric(labels: try LabelSet(["i": String($0)]), value: value) }
        )
    }

    /// Gathers and encodes, and compares with what comes without a cache.
    private func scrape(_ format: ExpositionFormat = .text) async -> [ExpositionSegment] {
        let families = await registry.gather().families
        let segments = cache.encode(families, as: format)
        #expect(segments.joined() == format.encode(families))
        return segments
    }

    @Test(arguments: ExpositionFormat.Syntax.allCases)
    func unchangedFamiliesAreKept(_ syntax: ExpositionFormat.Syntax) async throws {
        let format = ExpositionFormat(syntax)
        try registry.register(held)
        let requests = try registry.counter(name: "middle_total", help: "Changes.")
        held.hold([try Self.family("a", 1), try Self.family("b", 2), try Self.family("z", 3)])
        let first = await scrape(format)
        #expect(first.map(\.isKept) == [false])
        let second = await scrape(format)
        #expect(Array(second.map(\.isKept).prefix(3)) == [true, false, true])
        requests.increment()
        let third = await scrape(format)
        #expect(third[0] === second[0])
        #expect(third[1] !== second[1])
        #expect(third[2] === second[2])
        held.hold([try Self.family("a", 1), try Self.family("b", 2.5), try Self.family("z", 3)])
        let fourth = await scrape(format)
        #expect(fourth[0] !== third[0])
        #expect(fourth[0].isKept)
        #expect(await scrape(format)[0] === fourth[0])
    }

    @Test func smallFamiliesAreNotWorthASegment() async throws {
        try registry.register(held)
        held.hold([try Self.family("a", 1, count: 10)])
        for _ in 0..<3 {
            let segments = await scrape()
            #expect(segments.map(\.isKept) == [false])
        }
    }

    @Test func familiesMayComeAndGo() async throws {
        try registry.register(held)
        let (a, b, c) = (try Self.family("a", 1), try Self.family("b", 2), try Self.family("c", 3))
        for families in [[a, b, c], [a, b, c], [a, c], [a, c], [c], [a, b, c], [], [b, c], [a, b, c]] {
            held.hold(families)
            let segments = await scrape()
            #expect(segments.isEmpty == families.isEmpty)
        }
    }

    /// The same metrics in memory under another help text are another family.
    @Test func metadataIsCompared() async throws {
        try registry.register(held)
        let family = try Self.family("a", 1)
        for help in ["One.", "One.", "Other.", "One."] {
            let descriptor = try MetricDescriptor(name: "a", help: help, type: .gauge)
            held.hold([MetricFamily(descriptor, family.metrics)])
            let text = String(decoding: await scrape().joined(), as: UTF8.self)
            #expect(text.hasPrefix("# HELP a \(help)\n"))
        }
    }

    @Test func metricsThatAreChangedInPlaceAreSeen() async throws {
        try registry.register(held)
        var family = try Self.family("a", 1)
        for value in 0..<4 {
            family.metrics[7] = Metric(labels: family.metrics[7].labels, value: Double(value))
            held.hold([family])
            _ = await scrape()
            _ = await scrape()
        }
    }

    @Test(arguments: 1...20 as ClosedRange<UInt64>)
    func whateverChangesTheBytesAreThoseOfTheEncoder(seed: UInt64) async throws {
        try registry.register(held)
        var arbitrary = ArbitraryFamilies(generator: SeededGenerator(seed: seed), isOpenMetrics: true)
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<30 {
            if Bool.random(using: &generator) { held.hold(try arbitrary.families() + [try Self.family("w", 1)]) }
            _ = await scrape(Bool.random(using: &generator) ? .text : .openMetrics)
        }
    }

    /// A family that is not in order is reported at each gather, however often it comes.
    @Test func faultsAreReportedEachTime() async throws {
        try registry.register(held)
        let descriptor = try MetricDescriptor(name: "a_total", help: "Help.", type: .counter)
        held.hold([
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

    /// Two collectors that give one family are merged at each gather, whichever of them stays as it was.
    @Test func mergedFamiliesAreMergedEachTime() async throws {
        let other = Held()
        try registry.register(held)
        try registry.register(other)
        let whole = try Self.family("a", 1)
        held.hold([MetricFamily(whole.descriptor, Array(whole.metrics.prefix(150)))])
        for count in [150, 0, 50, 50] {
            other.hold([MetricFamily(whole.descriptor, Array(whole.metrics.suffix(200 - count)))])
            let gathering = await registry.gather()
            #expect(gathering.families.first?.metrics.count == 200)
            #expect(gathering.failures.isEmpty == (count >= 150))
        }
    }
}
