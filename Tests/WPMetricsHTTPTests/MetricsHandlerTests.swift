// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPGzip
import WPHTTP
import WPLogging
import WPMetrics
import WPTestKit

@testable import WPMetricsHTTP

/// The body of a scrape is correct, however much of it is reused.
struct MetricsHandlerTests {
    private struct Devices: ImmediateCollector {
        let family: MetricFamily
        var descriptors: [MetricDescriptor] { [family.descriptor] }
        func collectNow() -> [MetricFamily] { [family] }
    }

    private let registry = Registry()
    private let scrapes: Counter
    private let endpoint: MetricsHandler

    init() throws {
        scrapes = try registry.counter(name: "z_scrapes_total", help: "Scrapes.")
        let descriptor = try MetricDescriptor(name: "devices", help: "Devices.", type: .gauge, labelNames: ["i"])
        let metrics = try (100..<1000).map { Metric(labels: try LabelSet(["i": String($0)]), value: Double($0)) }
        try registry.register(Devices(family: MetricFamily(descriptor, metrics)))
        endpoint = MetricsHandler(registry)
    }

    private func scrape(_ target: String = "/metrics", _ headers: HTTPFields = [:]) async throws -> HTTPResponse {
        try await endpoint.respond(to: HTTPRequest(target: target, headers: headers))
    }

    @Test(arguments: ["text/plain", "application/openmetrics-text"])
    func everyScrapeIsComplete(_ accept: String) async throws {
        for round in 1...5 {
            scrapes.increment()
            let families = await registry.gather().families
            let wanted = ExpositionFormat.negotiate(accept: [accept]).encode(families)
            let plain = try await scrape("/metrics", ["Accept": accept])
            #expect(plain.bytes == wanted)
            #expect(String(decoding: plain.bytes, as: UTF8.self).contains("z_scrapes_total \(round)\n"))
            let compressed = try await scrape("/metrics", ["Accept": accept, "Accept-Encoding": "gzip"])
            #expect(compressed.headers["Content-Encoding"] == "gzip")
            #expect(try Gzip.decompress(compressed.bytes, limit: 1 << 20) == wanted)
        }
    }

    @Test func scrapesInFlightTogetherShareOneExposition() async throws {
        func scrape(_ arrival: UInt64, _ headers: HTTPFields = [:]) async throws -> HTTPResponse {
            var request = HTTPRequest(target: "/metrics", headers: headers)
            let context = HTTPRequestContext()
            context.arrival.store(arrival, ordering: .relaxed)
            request.context = context
            scrapes.increment()
            return try await endpoint.respond(to: request)
        }
        func count(_ response: HTTPResponse) -> Int? {
            let lines = String(decoding: response.bytes, as: UTF8.self).split(separator: "\n")
            return lines.first { $0.hasPrefix("z_scrapes_total ") }.flatMap { Int($0.split(separator: " ")[1]) }
        }
        #expect(count(try await scrape(7)) == 1)
        #expect(count(try await scrape(7)) == 1)
        #expect(try await scrape(7, ["Accept-Encoding": "gzip"]).headers["Content-Encoding"] == "gzip")
        #expect(count(try await scrape(7)) == 4)
        #expect(count(try await scrape(8)) == 5)
        #expect(count(try await scrape(0)) == 6)
        #expect(count(try await scrape(0)) == 7)
        #expect(count(try await scrape(8)) == 8)
        #expect(count(try await scrape(1)) == 9)
        #expect(count(try await scrape(1)) == 9)
    }

    /// Fails at each collection.
    private struct Failing: MetricCollector {
        struct Failure: Error {}
        let descriptors: [MetricDescriptor] = []
        func collect() async throws -> [MetricFamily] { throw Failure() }
    }

    @Test(arguments: ["/metrics", "/metrics?name[]=z_scrapes_total"])
    func logsMissingFamiliesEveryFiveMinutes(_ target: String) async throws {
        let (clock, log) = (TestClock(), CapturingLogHandler())
        try registry.register(Failing())
        let endpoint = MetricsHandler(registry, logger: log.logger, timeSource: clock)
        func scrape(after seconds: Int) async throws -> Int {
            clock.advance(by: .seconds(seconds))
            #expect(try await endpoint.respond(to: HTTPRequest(target: target)).status == .ok)
            return log.messages(.error).count
        }
        #expect(try await scrape(after: 0) == 1)
        #expect(try await scrape(after: 299) == 1)
        #expect(try await scrape(after: 1) == 2)
        #expect(log.records.last?.fields["repeats"] == .int(1))
        #expect(log.records.last?.fields["failures"] == .int(1))
    }

    /// Records the thread it is called on.
    private final class Watched: MetricCollector {
        let thread = ServerThread()
        let seen = Mutex<[Bool]>([])
        let descriptors: [MetricDescriptor] = []

        func collect() async -> [MetricFamily] {
            seen.withLock { $0.append(thread.isCurrent) }
            return []
        }
    }

    @Test func encodesLargeExpositionsOffTheServersThread() async throws {
        let watched = Watched()
        let thread = watched.thread
        try registry.register(watched)
        for target in ["/metrics", "/metrics?name[]=z_scrapes_total"] {
            let status = try await thread.run { [endpoint] in
                #expect(thread.isCurrent)
                let response = try await endpoint.respond(to: HTTPRequest(target: target))
                #expect(thread.isCurrent)
                return response.status
            }
            #expect(status == .ok)
        }
        #expect(watched.seen.withLock { $0 } == [false, false])
    }

    @Test func namesSelectFamilies() async throws {
        for target in ["/metrics?name[]=z_scrapes_total", "/metrics?x=1&name%5B%5D=z%5Fscrapes_total&name[]=none"] {
            #expect(
                String(decoding: try await scrape(target).bytes, as: UTF8.self) == """
                    # HELP z_scrapes_total Scrapes.
                    # TYPE z_scrapes_total counter
                    z_scrapes_total 0

                    """
            )
        }
        #expect(try await scrape("/metrics?name[]=none").bytes.isEmpty)
        let compressed = try await scrape("/metrics?name[]=devices", ["Accept-Encoding": "gzip"])
        #expect(try Gzip.decompress(compressed.bytes, limit: 1 << 20).starts(with: "# HELP devices ".utf8))
    }

    @Test(
        arguments: [
            (nil, []), ("", []), ("name[]", []), ("name[]=a", ["a"]), ("name[]=a&name[]=b&name[]=a", ["a", "b"]),
            ("name%5b%5d=a", ["a"]), ("name=a", []), ("name[]=%", []), ("name[]=%4", []), ("name[]=%zz", []),
            ("name[]=%FF", []), ("name[]=", [""]), ("&&=&name[]=a=b&", ["a=b"]),
        ] as [(String?, Set<String>)]
    )
    func parsesQueries(_ query: String?, _ names: Set<String>) {
        #expect(ScrapeQuery.names(query.map { $0[...] }) == names)
    }

    @Test(
        arguments: [
            (nil, false), ("gzip", true), ("deflate, gzip;q=0.5", true), ("gzip;q=0", false), ("*", true),
            ("identity", false), ("*, gzip;q=0", false), ("GZIP", true), ("gzip; q=0.0", false),
        ] as [(String?, Bool)]
    )
    func compressesOnlyForClientsThatAcceptGzip(header: String?, isTaken: Bool) {
        #expect(AcceptEncoding.acceptsGzip(header.map { [$0] } ?? []) == isTaken)
    }

    @Test func limitsTheNumberOfParsedEncodings() {
        #expect(!AcceptEncoding.acceptsGzip([String(repeating: "br,", count: 100_000) + "gzip"]))
        #expect(!AcceptEncoding.acceptsGzip(Array(repeating: "br", count: 1000) + ["gzip"]))
    }
}
