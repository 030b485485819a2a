// SPDX-License-Identifier: MIT

import Testing
import WPMetrics

/// Counters, gauges, histograms and their families.
struct InstrumentTests {
    @Test func countersOnlyIncrease() {
        let counter = Counter()
        #expect(counter.value == 0)
        counter.increment()
        #expect(counter.increment(by: 2.5))
        #expect(counter.increment(by: 0))
        for amount: Double in [-1, .nan, .infinity, -.infinity, -.leastNonzeroMagnitude] {
            #expect(!counter.increment(by: amount))
        }
        #expect(counter.value == 3.5)
    }

    @Test func countersKeepTheLastExemplar() throws {
        let counter = Counter()
        #expect(counter.metric(labels: .empty).exemplar == nil)
        let exemplar = try Exemplar(labels: LabelSet(["trace_id": "a"]), value: 1)
        counter.increment(exemplar: exemplar)
        counter.increment()
        #expect(counter.value == 2)
        #expect(counter.metric(labels: .empty).exemplar == exemplar)
    }

    @Test func gaugesGoUpAndDown() {
        let gauge = Gauge()
        gauge.set(5)
        gauge.increment()
        gauge.decrement(by: 2.5)
        #expect(gauge.value == 3.5)
        gauge.decrement()
        #expect(gauge.value == 2.5)
        gauge.set(true)
        #expect(gauge.value == 1)
        gauge.set(false)
        #expect(gauge.value == 0)
    }

    /// No increment is lost when many threads increment a counter.
    @Test func concurrentIncrementsAreExact() async throws {
        let counter = Counter()
        let gauge = Gauge()
        let histogram = Histogram(buckets: try HistogramBuckets([1, 2]))
        let family = try Registry().counter(name: "x_total", help: "", labelNames: ["task"])
        let (tasks, rounds) = (16, 500)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<tasks {
                group.addTask {
                    for round in 0..<rounds {
                        counter.increment()
                        counter.increment(by: 0.5)
                        gauge.increment(by: 3)
                        gauge.decrement(by: 2)
                        histogram.observe(Double(round % 3) + 0.5)
                        _ = try? family.with(String(task % 4)).increment()
                    }
                }
            }
            group.addTask {
                for _ in 0..<200 {
                    // Buckets and sum are always consistent.
                    let value = histogram.value
                    #expect(
                        value.sum.map { $0 >= 0.5 * Double(value.count) && $0 <= 2.5 * Double(value.count) } == true
                    )
                }
            }
        }
        let total = Double(tasks * rounds)
        #expect(counter.value == 1.5 * total)
        #expect(gauge.value == total)
        #expect(histogram.value.count == UInt64(tasks * rounds))
        #expect(try (0..<4).map { try family.with(String($0)).value } == Array(repeating: total / 4, count: 4))
        #expect(family.count == 4)
    }

    @Test func histogramsCountIntoTheRightBuckets() throws {
        let histogram = Histogram(buckets: try HistogramBuckets([-1, 0, 2.5]))
        let values: [Double] = [-.infinity, -2, -1, -0.5, 0, 1, 2.5, 2.6]
        for value in values { histogram.observe(value) }
        #expect(histogram.value.buckets.map(\.upperBound) == [-1, 0, 2.5, .infinity])
        #expect(histogram.value.buckets.map(\.cumulativeCount) == [3, 5, 7, 8])
        #expect(histogram.value.count == 8)
        histogram.observe(.nan)
        #expect(histogram.value.count == 8)
        histogram.observe(.infinity)
        #expect(histogram.value.count == 9)
    }

    @Test func histogramsSum() {
        let histogram = Histogram()
        #expect(histogram.value.sum == 0)
        #expect(histogram.value.count == 0)
        histogram.observe(0.25)
        histogram.observe(.milliseconds(1500))
        #expect(histogram.value.sum == 1.75)
        #expect(histogram.value.buckets.count == 12)
    }

    @Test func histogramsKeepAnExemplarPerBucket() throws {
        let histogram = Histogram(buckets: try HistogramBuckets([1]))
        let exemplars = try (0..<3).map { try Exemplar(labels: LabelSet(["id": String($0)]), value: Double($0)) }
        histogram.observe(0.5, exemplar: exemplars[0])
        histogram.observe(0.6, exemplar: exemplars[1])
        histogram.observe(5, exemplar: exemplars[2])
        histogram.observe(0.1)
        #expect(histogram.value.buckets.map(\.exemplar) == [exemplars[1], exemplars[2]])
    }

    @Test func generatesBuckets() throws {
        #expect(try HistogramBuckets.linear(start: 1, width: 0.5, count: 3).upperBounds == [1, 1.5, 2])
        #expect(try HistogramBuckets.exponential(start: 0.1, factor: 2, count: 3).upperBounds == [0.1, 0.2, 0.4])
        #expect(try HistogramBuckets([1, .infinity]) == HistogramBuckets([1]))
        #expect(try HistogramBuckets([]).upperBounds.isEmpty)
        #expect(
            HistogramBuckets.standard.upperBounds == [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
        )
        for count in [1, 500] {
            #expect(try HistogramBuckets.linear(start: 0, width: 1, count: count).upperBounds.count == count)
            #expect(try HistogramBuckets.exponential(start: 1, factor: 1.001, count: count).upperBounds.count == count)
        }
        #expect(try HistogramBuckets((1...500).map(Double.init) + [.infinity]).upperBounds.count == 500)
    }

    @Test func validatesBuckets() {
        let faults: [() throws -> HistogramBuckets] = [
            { try HistogramBuckets([1, 1]) }, { try HistogramBuckets([2, 1]) }, { try HistogramBuckets([.nan]) },
            { try HistogramBuckets([-.infinity, 1]) }, { try HistogramBuckets([.infinity, .infinity]) },
            { try HistogramBuckets((0...500).map(Double.init)) },
            { try .linear(start: 0, width: 0, count: 2) }, { try .linear(start: 0, width: .nan, count: 2) },
            { try .linear(start: 0, width: 1, count: 0) }, { try .linear(start: 0, width: 1, count: .max) },
            { try .linear(start: 0, width: 1, count: 501) }, { try .exponential(start: 1, factor: 1.001, count: 501) },
            { try .linear(start: 1e300, width: 1, count: 2) }, { try .exponential(start: 0, factor: 2, count: 2) },
            { try .exponential(start: 1, factor: 1, count: 2) }, { try .exponential(start: 1, factor: 2, count: -1) },
            { try .exponential(start: 1, factor: 1e300, count: 4) },
        ]
        for (index, fault) in faults.enumerated() {
            let error = #expect(throws: MetricError.self, "fault \(index)") { try fault() }
            #expect(error?.code == .invalidBuckets)
        }
    }

    @Test func familiesKeepTheirChildren() throws {
        let family = try Registry().counter(name: "x_total", help: "", labelNames: ["handler", "code"])
        #expect(family.labelNames == ["handler", "code"])
        let child = try family.with("/metrics", "200")
        child.increment()
        #expect(try family.with("/metrics", "200") === child)
        #expect(try family.with("/metrics", "500") !== child)
        #expect(
            text(family.collectNow().map { MetricFamily($0.descriptor, $0.metrics.sorted { $0.labels < $1.labels }) })
                == """
                # TYPE x_total counter
                x_total{code="200",handler="/metrics"} 1
                x_total{code="500",handler="/metrics"} 0

                """
        )
        #expect(family.remove("/metrics", "200"))
        #expect(!family.remove("/metrics", "200"))
        #expect(!family.remove("/metrics"))
        #expect(family.count == 1)
        family.removeAll()
        #expect(family.count == 0)
    }

    @Test func familiesStartAtZero() throws {
        let family = try Registry().counter(name: "x_total", help: "", labelNames: ["reason"])
        try family.prepare([["timeout"], ["tls"]])
        #expect(family.count == 2)
        #expect(try family.with("timeout").value == 0)
        #expect(throws: MetricError.self) { try family.prepare([["a", "b"]]) }
    }

    @Test func familiesCheckTheNumberOfValues() throws {
        let family = try Registry().gauge(name: "x", help: "", labelNames: ["a", "b"])
        for values in [[], ["1"], ["1", "2", "3"]] {
            let error = #expect(throws: MetricError.self) { try family.with(values: values) }
            #expect(error?.code == .labelMismatch)
        }
        #expect(family.count == 0)
    }

    @Test func limitsTheNumberOfChildren() throws {
        let descriptor = try MetricDescriptor(name: "x", help: "", type: .gauge, labelNames: ["a"])
        let family = try GaugeFamily(descriptor, maximumChildren: 2) { Gauge() }
        try family.prepare([["1"], ["2"], ["1"]])
        let error = #expect(throws: MetricError.self) { try family.with("3") }
        #expect(error?.code == .tooManyChildren)
        family.remove("1")
        _ = try family.with("3")
        #expect(try GaugeFamily(descriptor) { Gauge() }.maximumChildren == 10_000)
        #expect(try GaugeFamily(descriptor, maximumChildren: 0) { Gauge() }.maximumChildren == 1)
    }

    @Test func familiesCheckTheirDescriptor() throws {
        let descriptor = try MetricDescriptor(name: "x", help: "", type: .counter, labelNames: ["a"])
        var error = #expect(throws: MetricError.self) { try GaugeFamily(descriptor) { Gauge() } }
        #expect(error?.code == .typeMismatch)
        error = #expect(throws: MetricError.self) { try CounterFamily(descriptor, labelNames: ["b"]) { Counter() } }
        #expect(error?.code == .labelMismatch)
    }

    private func text(_ families: [MetricFamily]) -> String {
        String(decoding: TextFormat.encode(families), as: UTF8.self)
    }
}
