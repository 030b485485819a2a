// SPDX-License-Identifier: MIT

import Testing
import WPHTTP
import WPMetrics
import WPMetricsHTTP

@testable import WPServer

/// Requests that a server has answered, as metrics.
struct RequestMetricsTests {
    private let registry = Registry()

    private func exposition() async -> [String] {
        let bytes = ExpositionFormat.text.encode(await registry.gather().families)
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    @Test func namedRoutesStartAtZero() async throws {
        _ = try RequestMetrics(registry: registry, prefix: "shop", routes: ["a", "b"], errorRoutes: ["a"])
        let lines = await exposition().filter { $0.hasPrefix("shop_requests_total") }
        #expect(
            lines == [
                #"shop_requests_total{code="200",handler="a"} 0"#, #"shop_requests_total{code="200",handler="b"} 0"#,
                #"shop_requests_total{code="500",handler="a"} 0"#,
            ]
        )
        #expect(await exposition().contains(#"shop_request_duration_seconds_count{handler="b"} 0"#))
        #expect(await !exposition().contains { $0.contains("in_flight") })
    }

    @Test func defaultBucketsRangeFrom100MicrosecondsTo1Second() async throws {
        _ = try RequestMetrics(registry: registry, prefix: "shop", routes: ["a"])
        let lines = await exposition().filter { $0.hasPrefix("shop_request_duration_seconds_bucket") }
        let bounds = lines.compactMap { $0.split(separator: "le=\"").last?.split(separator: "\"").first }
        #expect(bounds == ["0.0001", "0.0005", "0.001", "0.005", "0.01", "0.05", "0.1", "0.5", "1", "+Inf"])
    }

    @Test func countsAndTimesEachExchange() async throws {
        let metrics = try RequestMetrics(registry: registry, prefix: "shop", buckets: try HistogramBuckets([0.25, 2]))
        for (route, status, seconds) in [("a", 200, 0.125), ("a", 200, 1), ("a", 404, 4), ("other", 404, 0)] {
            metrics.observe(
                HTTPServer.Exchange(route: route, status: HTTPStatus(code: status), duration: .seconds(seconds))
            )
        }
        let lines = await exposition()
        for line in [
            #"shop_requests_total{code="200",handler="a"} 2"#, #"shop_requests_total{code="404",handler="a"} 1"#,
            #"shop_requests_total{code="404",handler="other"} 1"#,
            #"shop_request_duration_seconds_bucket{handler="a",le="0.25"} 1"#,
            #"shop_request_duration_seconds_bucket{handler="a",le="2"} 2"#,
            #"shop_request_duration_seconds_count{handler="a"} 3"#,
            #"shop_request_duration_seconds_sum{handler="a"} 5.125"#,
        ] { #expect(lines.contains(line), "\(line)") }
    }

    @Test func countsRequestsInFlightUntilTheyAreAnsweredOrFail() async throws {
        struct Failure: Error {}
        let metrics = try RequestMetrics(registry: registry, prefix: "shop", countsInFlight: true)
        let registry = registry
        let handler = metrics.counting(
            ClosureHTTPHandler { request in
                let bytes = ExpositionFormat.text.encode(await registry.gather().families)
                guard request.path == "/" else { throw Failure() }
                return HTTPResponse(body: .bytes(bytes))
            }
        )
        let meanwhile = try await handler.respond(to: HTTPRequest(target: "/")).bytes
        #expect(String(decoding: meanwhile, as: UTF8.self).contains("\nshop_requests_in_flight 1\n"))
        await #expect(throws: Failure.self) { try await handler.respond(to: HTTPRequest(target: "/fail")) }
        #expect(await exposition().contains("shop_requests_in_flight 0"))
    }

    @Test func rejectsNamesInUse() throws {
        _ = try RequestMetrics(registry: registry, prefix: "shop")
        #expect(throws: MetricError.self) { try RequestMetrics(registry: registry, prefix: "shop") }
    }
}
