// SPDX-License-Identifier: MIT

import Testing
import WPMetrics

/// The samples in docs/modules/WPMetrics.md, verbatim.
struct DocumentationTests {
    @Test func servesInstruments() async throws {
        let registry = Registry()
        try registry.register(ProcessCollector())
        try registry.register(
            BuildInfoCollector(program: "shop", version: "1.2.0", revision: "4bf92f3", swiftVersion: "6.3.1")
        )

        // Instruments of the program. Prepared children start at 0.
        let requests = try registry.counter(
            name: "shop_requests_total",
            help: "HTTP requests answered.",
            labelNames: ["handler", "code"]
        )
        try requests.prepare([["basket", "200"], ["basket", "500"]])
        let latency = try registry.histogram(
            name: "shop_request_duration_seconds",
            help: "Time to answer.",
            unit: "seconds"
        )
        try requests.with("basket", "200").increment()
        latency.observe(.milliseconds(12))
        try requests.with(["handler": "basket", "code": "500"]).increment()

        // A scrape.
        let gathering = await registry.gather()
        let format = ExpositionFormat.negotiate(accept: ["application/openmetrics-text;version=1.0.0, */*;q=0.1"])
        let body: [UInt8] = format.encode(gathering.families)

        #expect(gathering.failures.isEmpty)
        #expect(format == .openMetrics)
        let families = try ExpositionFormat.openMetrics.parse(body)
        #expect(canonical(families) == canonical(gathering.families))
        #expect(MetricLinter.lint(families).isEmpty)
        #expect(
            String(decoding: body, as: UTF8.self).contains("shop_requests_total{code=\"500\",handler=\"basket\"} 1\n")
        )
    }

    struct SensorCollector: ImmediateCollector {
        let temperature: MetricDescriptor
        let read: @Sendable () -> [(labels: LabelSet, celsius: Double?)]

        init(read: @escaping @Sendable () -> [(labels: LabelSet, celsius: Double?)]) throws {
            temperature = try MetricDescriptor(
                name: "room_temperature_celsius",
                help: "Temperature of the room.",
                type: .gauge,
                labelNames: ["room"]
            )
            self.read = read
        }

        var descriptors: [MetricDescriptor] { [temperature] }

        func collectNow() -> [MetricFamily] {
            let metrics = read().compactMap { reading in
                reading.celsius.map { Metric(labels: reading.labels, value: $0) }
            }
            return [MetricFamily(temperature, metrics)]
        }
    }

    @Test func omitsAbsentValues() async throws {
        let registry = Registry()
        let (hall, attic) = (try LabelSet(["room": "hall"]), try LabelSet(["room": "attic"]))
        try registry.register(SensorCollector { [(hall, 21.5), (attic, nil)] })
        let families = await registry.gather().families
        #expect(families.first?.metrics == [Metric(labels: hall, value: 21.5)])
    }
}
