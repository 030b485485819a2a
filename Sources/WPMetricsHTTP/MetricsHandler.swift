// SPDX-License-Identifier: MIT

import Synchronization
public import WPCore
import WPGzip
public import WPHTTP
public import WPLogging
public import WPMetrics
public import WPServer

/// Serves a registry over HTTP for Prometheus.
///
/// ```swift
/// router.on(.get, "/metrics", MetricsHandler(registry))
/// ```
///
/// The scraper chooses text or OpenMetrics with `Accept`, and gzip with `Accept-Encoding`. The query
/// `name[]=x&name[]=y` selects families. Unchanged families are neither encoded nor compressed again, and concurrent
/// scrapes share one response. Large expositions are encoded on a separate thread.
///
/// A failing collector is omitted from the response and logged at most every five minutes.
public final class MetricsHandler: HTTPHandler {
    /// The size in bytes above which expositions are encoded and compressed off the server's thread.
    static let largeSize = 512 << 10

    private let registry: Registry
    private let exposition: LiveExposition
    private let logger: Logger
    private let timeSource: any TimeSource
    private let compressed: [ExpositionFormat.Syntax: CompressedParts]
    private let shared = SharedScrape()
    private let failures = Mutex(RepeatGate(interval: .seconds(300)))

    /// Creates a handler.
    /// - Parameters:
    ///   - registry: the registry to serve.
    ///   - logger: logs an error if metrics are missing from a scrape.
    ///   - timeSource: the clock that limits that error to one in five minutes.
    public init(_ registry: Registry, logger: Logger = .silent, timeSource: any TimeSource = .system) {
        self.registry = registry
        self.logger = logger
        self.timeSource = timeSource
        exposition = LiveExposition(of: registry)
        compressed = Dictionary(ExpositionFormat.Syntax.allCases.map { ($0, CompressedParts()) }) { first, _ in first }
    }

    /// Answers a scrape.
    /// - Throws: an error if zlib cannot allocate memory.
    public nonisolated(nonsending) func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let variant = ScrapeVariant(for: request.headers)
        let names = ScrapeQuery.names(request.query)
        guard names.isEmpty else { return try await respond(with: names, as: variant) }
        if let response = shared.response(to: request.arrival, variant) { return response }
        let response = HTTPResponse(headers: variant.headers, body: try await body(variant))
        shared.store(response, for: request.arrival, variant)
        return response
    }

    private nonisolated(nonsending) func body(_ variant: ScrapeVariant) async throws -> HTTPResponse.Body {
        guard exposition.size > Self.largeSize else { return try await makeBody(variant) }
        return try await HTTPServer.offload { [self] in try await makeBody(variant) }
    }

    private nonisolated(nonsending) func makeBody(_ variant: ScrapeVariant) async throws -> HTTPResponse.Body {
        let scrape = await exposition.scrape(as: variant.format)
        report(scrape.failures)
        guard variant.acceptsGzip, let compressed = compressed[variant.format.syntax] else {
            return .parts(scrape.parts)
        }
        return .bytes(try compressed.gzip(scrape.parts))
    }

    private func respond(with names: Set<String>, as variant: ScrapeVariant) async throws -> HTTPResponse {
        let body = try await HTTPServer.offload { [self] in
            let gathering = await registry.gather()
            report(gathering.failures)
            let encoded = variant.format.encode(gathering.keeping(names: names).families)
            return variant.acceptsGzip ? try Gzip.compress(encoded) : encoded
        }
        return HTTPResponse(headers: variant.headers, body: .bytes(body))
    }

    private func report(_ found: [CollectionFailure]) {
        guard let first = found.first else { return }
        guard let repeats = failures.withLock({ $0.admit(at: timeSource.now.monotonic) }) else { return }
        logger.error(
            "Metrics are missing from a scrape",
            ["error": .string(first.description), "failures": .int(found.count), "repeats": .int(repeats)]
        )
    }
}
