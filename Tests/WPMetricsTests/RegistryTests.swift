// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPMetrics
import WPTestKit

/// Registration, gathering and error handling.
struct RegistryTests {
    /// Returns families set by a test.
    private struct StubCollector: MetricCollector {
        var descriptors: [MetricDescriptor] = []
        let answer: @Sendable () async throws -> [MetricFamily]

        func collect() async throws -> [MetricFamily] { try await answer() }
    }

    private struct Fault: Error, CustomStringConvertible {
        let description = "the cable is out"
    }

    @Test func exposesInstrumentsSorted() async throws {
        let registry = Registry()
        let requests = try registry.counter(name: "b_total", help: "Requests.", labelNames: ["code"])
        try requests.prepare([["500"], ["200"], ["10"]])
        try registry.gauge(name: "c", help: "A gauge.").set(2)
        try registry.histogram(name: "a_seconds", help: "Times.", unit: "seconds", buckets: HistogramBuckets([1]))
            .observe(0.5)
        try registry.function(name: "up", help: "Up.") { 1 }
        try registry.function(name: "absent", help: "Not there.") { nil }
        _ = try registry.counter(name: "empty_total", help: "No children.", labelNames: ["a"])
        let gathering = await registry.gather()
        #expect(gathering.failures.isEmpty)
        #expect(
            String(decoding: TextFormat.encode(gathering.families), as: UTF8.self) == """
                # HELP a_seconds Times.
                # TYPE a_seconds histogram
                a_seconds_bucket{le="1"} 1
                a_seconds_bucket{le="+Inf"} 1
                a_seconds_sum 0.5
                a_seconds_count 1
                # HELP b_total Requests.
                # TYPE b_total counter
                b_total{code="10"} 0
                b_total{code="200"} 0
                b_total{code="500"} 0
                # HELP c A gauge.
                # TYPE c gauge
                c 2
                # HELP up Up.
                # TYPE up gauge
                up 1

                """
        )
    }

    @Test func registersRealisticNames() throws {
        let registry = Registry()
        for name in [
            "winpower_device_cumulative_energy", "winpower_exporter_device_count", "winpower_device_load_total_watts",
            "winpower_device", "winpower_token_expiry_seconds",
        ] {
            _ = try registry.gauge(name: name, help: "", labelNames: ["device_id"])
        }
    }

    @Test func rejectsNamesInUse() throws {
        let registry = Registry()
        _ = try registry.histogram(name: "h", help: "")
        _ = try registry.counter(name: "c_total", help: "")
        _ = try registry.counter(name: "d", help: "")
        _ = try registry.gauge(name: "g", help: "")
        let taken: [() throws -> Void] = [
            { _ = try registry.gauge(name: "g", help: "") }, { _ = try registry.counter(name: "g", help: "") },
            { _ = try registry.gauge(name: "h_count", help: "") },
            { _ = try registry.counter(name: "h_sum", help: "") },
            { _ = try registry.gauge(name: "h_bucket", help: "") },
            { _ = try registry.histogram(name: "h", help: "") },
            // This is the OpenMetrics name of the counter's family.
            { _ = try registry.gauge(name: "c", help: "") },
            // This is the OpenMetrics name of the counter's samples.
            { _ = try registry.gauge(name: "d_total", help: "") },
            { _ = try registry.counter(name: "g_total", help: "") },
            { try registry.function(name: "g", help: "") { 1 } },
        ]
        for (index, register) in taken.enumerated() {
            let error = #expect(throws: MetricError.self, "case \(index)") { try register() }
            #expect(error?.code == .nameClash)
        }
    }

    @Test func rejectsInvalidInstruments() throws {
        let registry = Registry()
        let cases: [(MetricError.Code, () throws -> Void)] = [
            (.invalidMetricName, { _ = try registry.counter(name: "a b", help: "") }),
            (.invalidLabelName, { _ = try registry.gauge(name: "a", help: "", labelNames: ["b-c"]) }),
            (.reservedLabelName, { _ = try registry.gauge(name: "a", help: "", labelNames: ["__b"]) }),
            (.reservedLabelName, { _ = try registry.histogram(name: "a", help: "", labelNames: ["le"]) }),
            (.duplicateLabelName, { _ = try registry.gauge(name: "a", help: "", labelNames: ["b", "b"]) }),
            (.invalidUnit, { _ = try registry.gauge(name: "a", help: "", unit: "volts") }),
            (.typeMismatch, { try registry.function(name: "a", help: "", type: .histogram) { 1 } }),
        ]
        for (code, register) in cases {
            let error = #expect(throws: MetricError.self) { try register() }
            #expect(error?.code == code)
        }
        _ = try registry.gauge(name: "a", help: "")
    }

    /// Registration of a collector is atomic.
    @Test func rejectsACollectorThatClashesWithItself() throws {
        let registry = Registry()
        let free = try MetricDescriptor(name: "free", help: "", type: .gauge)
        let twice = try MetricDescriptor(name: "twice", help: "", type: .gauge)
        #expect(throws: MetricError.self) {
            try registry.register(StubCollector(descriptors: [free, twice, twice]) { [] })
        }
        try registry.register(StubCollector(descriptors: [free]) { [] })
    }

    @Test func freesNames() async throws {
        let registry = Registry()
        let descriptor = try MetricDescriptor(name: "x", help: "", type: .gauge)
        let collector = StubCollector(descriptors: [descriptor]) { [MetricFamily(descriptor, value: 1)] }
        let registration = try registry.register(collector)
        #expect(throws: MetricError.self) { try registry.register(collector) }
        #expect(await registry.gather().families.count == 1)
        #expect(registry.unregister(registration))
        #expect(!registry.unregister(registration))
        #expect(await registry.gather().families.isEmpty)
        try registry.register(collector)
    }

    @Test func continuesWithoutAFailingCollector() async throws {
        let registry = Registry()
        let descriptor = try MetricDescriptor(name: "x", help: "", type: .gauge)
        try registry.register(StubCollector { throw Fault() })
        try registry.register(StubCollector { [MetricFamily(descriptor, value: 1)] })
        let gathering = await registry.gather()
        #expect(gathering.families.map(\.name) == ["x"])
        let failure = try #require(gathering.failures.first)
        #expect(gathering.failures.count == 1)
        #expect(failure.code == .collectorFailed)
        #expect(failure.family == nil)
        #expect(failure.description == "StubCollector returned no metrics: the cable is out")
    }

    @Test func dropsInvalidMetrics() async throws {
        let bare = try LabelSet(["a": "1"])
        let histogram = try HistogramValue(buckets: [.init(upperBound: .infinity, cumulativeCount: 1)], sum: 1)
        let exemplar = try Exemplar(labels: .empty, value: 1)
        let cases: [(MetricType, Metric)] = [
            (.counter, Metric(labels: bare, value: -1)), (.counter, Metric(labels: bare, value: .nan)),
            (.gauge, Metric(labels: bare, .histogram(histogram))), (.histogram, Metric(labels: bare, value: 1)),
            (.gauge, Metric(labels: .empty, value: 1)), (.gauge, Metric(labels: try bare.adding("b", "1"), value: 1)),
            (.gauge, Metric(labels: try LabelSet(["b": "1"]), value: 1)),
            (.gauge, Metric(labels: bare, value: 1, timestamp: .infinity)),
            (.gauge, Metric(labels: bare, value: 1, timestamp: .nan)),
            (.gauge, Metric(labels: bare, value: 1, exemplar: exemplar)), (.info, Metric(labels: bare, value: 2)),
        ]
        for (index, (type, metric)) in cases.enumerated() {
            let registry = Registry()
            let descriptor = try MetricDescriptor(
                name: type == .info ? "x_info" : "x",
                help: "",
                type: type,
                labelNames: ["a"]
            )
            let good =
                type == .histogram
                ? Metric(labels: try LabelSet(["a": "good"]), .histogram(histogram))
                : Metric(labels: try LabelSet(["a": "good"]), value: 1)
            try registry.register(StubCollector { [MetricFamily(descriptor, [metric, good, metric])] })
            let gathering = await registry.gather()
            #expect(gathering.families == [MetricFamily(descriptor, [good])], "case \(index)")
            #expect(gathering.failures.map(\.code) == [.invalidMetric], "case \(index)")
            #expect(gathering.failures.first?.droppedMetrics == 2)
        }
    }

    @Test func dropsReservedLabelsAndWrongStates() async throws {
        let registry = Registry()
        let histogram = try MetricDescriptor(name: "h", help: "", type: .histogram)
        let states = try MetricDescriptor(name: "s", help: "", type: .stateSet)
        let value = try HistogramValue(buckets: [.init(upperBound: .infinity, cumulativeCount: 1)], sum: 1)
        let state = try LabelSet(["s": "on"])
        try registry.register(
            StubCollector {
                [
                    MetricFamily(histogram, [Metric(labels: try LabelSet(["le": "1"]), .histogram(value))]),
                    MetricFamily(states, [Metric(value: 1), Metric(labels: state, value: 0.5)]),
                ]
            }
        )
        let gathering = await registry.gather()
        #expect(gathering.families.isEmpty)
        #expect(gathering.failures.map(\.family) == ["h", "s"])
        #expect(gathering.failures.map(\.droppedMetrics) == [1, 2])
        #expect(gathering.failures.last?.description.hasPrefix("StubCollector lost 2 metrics of s: ") == true)
    }

    @Test func dropsDuplicates() async throws {
        let registry = Registry()
        let descriptor = try MetricDescriptor(name: "x", help: "", type: .gauge)
        let (one, two) = (try LabelSet(["a": "1"]), try LabelSet(["a": "2"]))
        try registry.register(
            StubCollector {
                [
                    MetricFamily(
                        descriptor,
                        [
                            Metric(labels: two, value: 1), Metric(labels: one, value: 2), Metric(labels: two, value: 3),
                            Metric(labels: one, value: 4, timestamp: 1),
                        ]
                    )
                ]
            }
        )
        try registry.register(StubCollector { [MetricFamily(descriptor, [Metric(labels: one, value: 5)])] })
        let gathering = await registry.gather()
        #expect(
            gathering.families == [
                MetricFamily(
                    descriptor,
                    [
                        Metric(labels: one, value: 2), Metric(labels: one, value: 4, timestamp: 1),
                        Metric(labels: two, value: 1),
                    ]
                )
            ]
        )
        #expect(gathering.failures.map(\.code) == [.duplicateMetric])
        #expect(gathering.failures.first?.droppedMetrics == 2)
    }

    @Test func dropsConflictingFamilies() async throws {
        let registry = Registry()
        let gauge = try MetricDescriptor(name: "x", help: "", type: .gauge)
        let counter = try MetricDescriptor(name: "x", help: "", type: .counter)
        let total = try MetricDescriptor(name: "x_total", help: "", type: .counter)
        let other = try MetricDescriptor(name: "y", help: "", type: .gauge)
        try registry.register(StubCollector { [MetricFamily(gauge, value: 1)] })
        try registry.register(StubCollector { [MetricFamily(counter, value: 2), MetricFamily(other, value: 3)] })
        try registry.register(StubCollector { [MetricFamily(total, value: 4)] })
        let gathering = await registry.gather()
        #expect(gathering.families == [MetricFamily(gauge, value: 1), MetricFamily(other, value: 3)])
        #expect(gathering.failures.map(\.code) == [.conflictingFamily, .conflictingFamily])
        #expect(gathering.failures.map(\.family) == ["x", "x_total"])
    }

    @Test func dropsUndeclaredFamilies() async throws {
        let registry = Registry()
        let declared = try MetricDescriptor(name: "x", help: "", type: .gauge)
        let undeclared = try MetricDescriptor(name: "y", help: "", type: .gauge)
        try registry.register(
            StubCollector(descriptors: [declared]) {
                [MetricFamily(declared, value: 1), MetricFamily(undeclared, value: 1)]
            }
        )
        let gathering = await registry.gather()
        #expect(gathering.families.map(\.name) == ["x"])
        #expect(gathering.failures.map(\.code) == [.undeclaredFamily])
    }

    /// A waiting collector does not delay the others.
    @Test func pollsCollectorsConcurrently() async throws {
        let registry = Registry()
        let descriptor = try MetricDescriptor(name: "x", help: "", type: .gauge)
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        try registry.register(
            StubCollector {
                for await _ in stream {}
                return [MetricFamily(descriptor, value: 1)]
            }
        )
        try registry.register(
            StubCollector {
                continuation.finish()
                return []
            }
        )
        #expect(await registry.gather().families.count == 1)
    }

    @Test func propagatesCancellation() async throws {
        let registry = Registry()
        try registry.register(
            StubCollector {
                try await suspendUntilCancelled()
                return []
            }
        )
        let task = Task { await registry.gather() }
        task.cancel()
        #expect(await task.value.failures.map(\.code) == [.collectorFailed])
    }

    @Test func selectsByName() throws {
        let families = try [("a", MetricType.gauge), ("b_total", .counter), ("h", .histogram)].map {
            MetricFamily(try MetricDescriptor(name: $0, help: "", type: $1), [])
        }
        let gathering = Gathering(families: families)
        func names(_ names: Set<String>) -> [String] { gathering.keeping(names: names).families.map(\.name) }
        #expect(names([]) == ["a", "b_total", "h"])
        #expect(names(["a", "z"]) == ["a"])
        #expect(names(["b", "h_bucket"]) == ["b_total", "h"])
        #expect(names(["z"]).isEmpty)
    }

    /// Concurrent registration and gathering lose nothing.
    @Test func isThreadSafe() async throws {
        let registry = Registry()
        await withTaskGroup(of: Void.self) { group in
            for index in 0..<32 {
                group.addTask { _ = try? registry.gauge(name: "g_\(index)", help: "") }
                group.addTask { #expect(await registry.gather().failures.isEmpty) }
            }
        }
        #expect(await registry.gather().families.count == 32)
    }
}
