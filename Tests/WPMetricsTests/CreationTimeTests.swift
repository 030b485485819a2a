// SPDX-License-Identifier: MIT

import Testing
import WPCore
import WPMetrics
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `_created`, if enabled.
struct CreationTimeTests {
    /// One second later at each call.
    private final class CountingClock: TimeSource {
        private let clock = TestClock(wall: Date(timeIntervalSince1970: 1000.5))

        var now: TimePoint {
            clock.advance(by: .seconds(1))
            return clock.now
        }

        func sleep(until monotonic: Duration, tolerance: Duration?) async throws {
            try await clock.sleep(until: monotonic, tolerance: tolerance)
        }
    }

    private static func fill(_ registry: Registry) throws -> CounterFamily {
        let requests = try registry.counter(name: "requests_total", help: "", labelNames: ["code"])
        try requests.prepare([["500"], ["200"]])
        _ = try registry.gauge(name: "g", help: "")
        _ = try registry.histogram(name: "h", help: "", buckets: HistogramBuckets([1]))
        _ = try registry.summary(name: "s", help: "", quantiles: [])
        return requests
    }

    private static func openMetrics(_ registry: Registry) async -> String {
        String(decoding: OpenMetricsFormat.encode(await registry.gather().families), as: UTF8.self)
    }

    @Test func exposesCreationTimesOfCountingTypes() async throws {
        let registry = Registry(creationClock: CountingClock())
        let requests = try Self.fill(registry)
        #expect(
            await Self.openMetrics(registry) == """
                # TYPE g gauge
                g 0
                # TYPE h histogram
                h_bucket{le="1.0"} 0
                h_bucket{le="+Inf"} 0
                h_count 0
                h_sum 0
                h_created 1003.5
                # TYPE requests counter
                requests_total{code="200"} 0
                requests_created{code="200"} 1002.5
                requests_total{code="500"} 0
                requests_created{code="500"} 1001.5
                # TYPE s summary
                s_count 0
                s_sum 0
                s_created 1004.5
                # EOF

                """
        )
        let families = await registry.gather().families
        #expect(!String(decoding: TextFormat.encode(families), as: UTF8.self).contains("_created"))
        // A recreated child starts again.
        requests.remove("500")
        try requests.with("500").increment()
        #expect(await Self.openMetrics(registry).contains("requests_created{code=\"500\"} 1005.5\n"))
    }

    @Test func omitsCreationTimesByDefault() async throws {
        let registry = Registry()
        _ = try Self.fill(registry)
        #expect(await !Self.openMetrics(registry).contains("_created"))
    }

    @Test func creationTimesRoundTrip() throws {
        let text =
            "# TYPE a counter\na_total 1\na_created 123.25\n# TYPE h histogram\nh_bucket{le=\"+Inf\"} 1\n"
            + "h_created 7\n# EOF\n"
        let families = try ExpositionFormat.openMetrics.parse(Array(text.utf8))
        #expect(families.map { $0.metrics.map(\.created) } == [[123.25], [7]])
        #expect(String(decoding: OpenMetricsFormat.encode(families), as: UTF8.self) == text)
    }

    /// Types without creation time, and invalid times, have no sample.
    @Test(arguments: [(MetricType.gauge, 1.0), (.unknown, 1), (.counter, .nan), (.counter, .infinity)])
    func omitsInvalidCreationTimes(_ type: MetricType, _ created: Double) throws {
        var metric = Metric(value: 1)
        metric.created = created
        let family = MetricFamily(try MetricDescriptor(name: "x", help: "", type: type), [metric])
        #expect(!String(decoding: OpenMetricsFormat.encode([family]), as: UTF8.self).contains("_created"))
    }

    @Test func coexistsWithAnExemplar() throws {
        let exemplar = try Exemplar(labels: LabelSet(["id": "a"]), value: 1)
        var metric = Metric(value: 1, exemplar: exemplar)
        metric.created = 2
        #expect(metric.exemplar == exemplar)
        #expect(metric != Metric(value: 1, exemplar: exemplar))
        metric.exemplar = nil
        #expect(metric.created == 2)
        metric.created = nil
        #expect(metric == Metric(value: 1))
        #expect(metric.hashValue == Metric(value: 1).hashValue)
    }
}
