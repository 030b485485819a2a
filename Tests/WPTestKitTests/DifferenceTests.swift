// SPDX-License-Identifier: MIT

import Testing
import WPMetrics
import WPTestKit

/// Comparing a registry with a text exposition.
struct DifferenceTests {
    private let registry = Registry()

    private func fill() throws {
        let requests = try registry.counter(
            name: "shop_requests_total",
            help: "Requests.",
            labelNames: ["handler", "code"]
        )
        try requests.with("basket", "200").increment(by: 1.5)
        try requests.with("basket", "500").increment(by: 2)
        try registry.gauge(name: "shop_temperature_celsius", help: "Warmth.", unit: "celsius").set(-0.25)
    }

    /// Order, spaces and number formatting are ignored.
    @Test func reportsNoDifferenceForEqualExpositions() async throws {
        try fill()
        let difference = try await registry.difference(
            from: """
                # A comment.
                # TYPE shop_temperature_celsius gauge
                # HELP shop_temperature_celsius Warmth.
                shop_temperature_celsius -2.5e-1
                # HELP shop_requests_total Requests.
                # TYPE shop_requests_total counter
                shop_requests_total{handler="basket",code="500"} 2.000
                shop_requests_total{code="200", handler="basket"}   1.5
                """
        )
        #expect(difference == nil)
    }

    @Test func showsDifferentLinesBelowTheirFamily() async throws {
        try fill()
        let difference = try await registry.difference(
            from: """
                # HELP shop_requests_total Requests.
                # TYPE shop_requests_total counter
                shop_requests_total{code="200",handler="basket"} 1.5
                shop_requests_total{code="404",handler="basket"} 1
                shop_requests_total{code="500",handler="basket"} 3
                # HELP shop_temperature_celsius Warmth.
                # TYPE shop_temperature_celsius gauge
                shop_temperature_celsius -0.25
                """
        )
        #expect(difference?.missing.count == 2)
        #expect(difference?.unexpected == [#"shop_requests_total{code="500",handler="basket"} 2"#])
        #expect(
            difference?.description == """
                  # HELP shop_requests_total Requests.
                  # TYPE shop_requests_total counter
                - shop_requests_total{code="404",handler="basket"} 1
                - shop_requests_total{code="500",handler="basket"} 3
                + shop_requests_total{code="500",handler="basket"} 2
                """
        )
    }

    @Test func comparesMetadata() async throws {
        try fill()
        let difference = try await registry.difference(
            from: "# HELP shop_temperature_celsius Cold.\n# TYPE shop_temperature_celsius gauge\n"
                + "shop_temperature_celsius -0.25",
            names: ["shop_temperature_celsius"]
        )
        #expect(
            difference?.description == """
                - # HELP shop_temperature_celsius Cold.
                + # HELP shop_temperature_celsius Warmth.
                """
        )
    }

    @Test func showsAMissingFamilyCompletely() async throws {
        let difference = try await registry.difference(from: "# TYPE x gauge\nx 1")
        #expect(difference?.description == "- # TYPE x gauge\n- x 1")
        #expect(try await registry.difference(from: "") == nil)
    }

    @Test func comparesOnlyNamedFamilies() async throws {
        try fill()
        let expected =
            "# HELP shop_temperature_celsius Warmth.\n# TYPE shop_temperature_celsius gauge\n"
            + "shop_temperature_celsius -0.25\n"
        #expect(try await registry.difference(from: expected, names: ["shop_temperature_celsius"]) == nil)
        #expect(try await registry.difference(from: expected)?.unexpected.count == 4)
    }

    @Test(arguments: ["", "\n# EOF", "\n# EOF\n"])
    func comparesUnitsAndExemplarsInOpenMetrics(_ end: String) async throws {
        try fill()
        let hits = try registry.counter(name: "hits_total", help: "Hits.")
        hits.increment(exemplar: try Exemplar(labels: LabelSet(["trace": "a"]), value: 1, timestamp: 2))
        let expected = """
            # TYPE hits counter
            # HELP hits Hits.
            hits_total 1 # {trace="a"} 1 2
            # TYPE shop_temperature_celsius gauge
            # UNIT shop_temperature_celsius celsius
            # HELP shop_temperature_celsius Warmth.
            shop_temperature_celsius -0.25
            """
        let names: Set = ["hits_total", "shop_temperature_celsius"]
        #expect(try await registry.difference(from: expected + end, names: names, format: .openMetrics) == nil)
        let other = expected.replacing("trace=\"a\"", with: "trace=\"b\"")
        #expect(try await registry.difference(from: other, names: names, format: .openMetrics) != nil)
    }

    @Test func rejectsAnInvalidExpectedExposition() async throws {
        await #expect(throws: ExpositionParseError.self) { try await registry.difference(from: "x one") }
    }

    private struct Broken: ImmediateCollector {
        var descriptors: [MetricDescriptor] { [] }
        func collectNow() throws -> [MetricFamily] { throw CancellationError() }
    }

    /// A failed collector is a difference, even if the rest is as expected.
    @Test func reportsFailuresAsADifference() async throws {
        let difference = try await Registry(Broken()).difference(from: "")
        #expect(difference?.failures.count == 1)
        #expect(difference?.description.hasPrefix("! Broken returned no metrics") == true)
    }
}
