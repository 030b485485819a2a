// SPDX-License-Identifier: MIT

import Testing
import WPMetrics
import WPTestKit

/// Reading single samples, and linting.
struct ValueAndLintTests {
    @Test func findsValuesByNameAndLabels() async throws {
        let registry = Registry()
        let requests = try registry.counter(name: "x_total", help: "X.", labelNames: ["b", "a"])
        try requests.with("2", "1").increment(by: 7)
        #expect(await registry.value(of: "x_total", ["a": "1", "b": "2"]) == 7)
        #expect(await registry.value(of: "x_total", ["b": "2", "a": "1"]) == 7)
        #expect(await registry.value(of: "x_total", ["a": "1"]) == nil)
        #expect(await registry.value(of: "x_total", ["a": "1", "b": "3"]) == nil)
        #expect(await registry.value(of: "x_total") == nil)
        #expect(await registry.value(of: "x") == nil)
    }

    @Test func findsSamplesOfHistogramsAndSummaries() async throws {
        let registry = Registry()
        let buckets = try HistogramBuckets([0.5, 1])
        let latency = try registry.histogram(name: "h_seconds", help: "H.", labelNames: ["op"], buckets: buckets)
        for value in [0.1, 0.7, 3] { try latency.with("read").observe(value) }
        #expect(await registry.value(of: "h_seconds_bucket", ["op": "read", "le": "0.50"]) == 1)
        #expect(await registry.value(of: "h_seconds_bucket", ["op": "read", "le": "1"]) == 2)
        #expect(await registry.value(of: "h_seconds_bucket", ["op": "read", "le": "+Inf"]) == 3)
        #expect(await registry.value(of: "h_seconds_bucket", ["op": "read"]) == nil)
        #expect(await registry.value(of: "h_seconds_count", ["op": "read"]) == 3)
        #expect(await registry.value(of: "h_seconds_sum", ["op": "read"]) == 3.8)
        let sizes = try registry.summary(name: "s_bytes", help: "S.", quantiles: [0.5])
        sizes.observe(4)
        #expect(await registry.value(of: "s_bytes_count") == 1)
        #expect(await registry.value(of: "s_bytes_sum") == 4)
        let median = try #require(await registry.value(of: "s_bytes", ["quantile": "0.5"]))
        #expect(abs(median - 4) < 0.05)
    }

    /// `quantile` is special only in a summary.
    @Test func treatsAQuantileOfAGaugeAsAnOrdinaryLabel() async throws {
        let registry = Registry()
        try registry.gauge(name: "g", help: "G.", labelNames: ["quantile"]).with("0.5").set(3)
        #expect(await registry.value(of: "g", ["quantile": "0.5"]) == 3)
    }

    @Test func lintsGatheredFamilies() async throws {
        let registry = Registry()
        _ = try registry.counter(name: "requests", help: "Requests.")
        #expect(await registry.lint().map(\.rule) == [.totalSuffix])
        #expect(await Registry().lint().isEmpty)
    }

    @Test func checksNamesInARegistryOfCollectors() throws {
        #expect(throws: MetricError.self) { try Registry(ProcessCollector(), ProcessCollector()) }
        #expect(throws: Never.self) { try Registry(ProcessCollector()) }
    }
}
