// SPDX-License-Identifier: MIT

import Synchronization
import WPGzip
public import WPHTTP
public import WPLogging
public import WPMetrics
public import WPServer

/// Serves a registry over HTTP, as Prometheus scrapes it.
///
/// ```swift
/// router.on(.get, "/metrics", MetricsHandler(registry))
/// ```
///
/// The scraper chooses text or OpenMetrics by `Accept`, and gzip by `Accept-Encoding`. The query `name[]=x&name[]=y` asks
/// for some families only. Families that have not changed since the last scrape are neither encoded nor compressed
/// again, and scrapes that arrive together share one response. Large expositions are made on a thread of their own.
///
/// A collector that fails is missing from the response and logged, at most once in five minutes; the rest is served.
public final class MetricsHandler: HTTPHandler {
    /// An exposition of more bytes is encoded and compressed on another thread than the server's.
    static let largeSize = 512 << 10

    private let registry: Registry
    private let exposition: LiveExposition
    private let logger: Logger
    private let now: @Sendable () -> Duration
    private let compressed: [ExpositionFormat.Syntax: CompressedParts]
    private let shared = SharedScrape()
    private let failures = Mutex(RepeatGate(interval: .seconds(300)))

    /// Creates a handler.
    /// - Parameters:
    ///   - registry: what is served.
    ///   - logger: gets one error when families are missing from a scrape.
    public convenience init(_ registry: Registry, logger: Logger = .silent) {
        let start = ContinuousClock.now
        self.init(registry, logger: logger) { ContinuousClock.now - start }
    }

    /// - Parameter now: the time by a monotonic clock since an origin that stays the same.
    init(_ registry: Registry, logger: Logger, now: @escaping @Sendable () -> Duration) {
        self.registry = registry
        self.logger = logger
        self.now = now
        exposition = LiveExposition(of: registry)
        compressed = Dictionary(ExpositionFormat.Syntax.allCases.map { ($0, CompressedParts()) }) { first, _ in first }
    }

    /// Answers a scrape.
    /// - Throws: when zlib has no memory.
    public nonisolated(nonsending) func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let variant = ScrapeVariant(for: request.headers)
        let names = ScrapeQuery.names(request.query)
        guard names.isEmpty else { return try await respond(with: names, as: variant) }
        if let response = shared.response(to: request.arrival, variant) { return response }
        let response = HTTPResponse(headers: variant.headers, body: try await body(variant))
        shared.keep(response, request.arrival, variant)
        return response
    }

    private nonisolated(nonsending) func body(_ variant: ScrapeVariant) async throws -> HTTPResponse.Body {
        guard exposition.size > Self.largeSize else { return try await makeBody(variant) }
        return try await HTTPServer.offload { [self] in try await makeBody(variant) }
    }

    private nonisolated(nonsending) func makeBody(_ variant: ScrapeVariant) async throws -> HTTPResponse.Body {
        let scrape = await exposition.scrape(as: variant.format)
        report(scrape.failures)
        guard variant.takesGzip, let compressed = compressed[variant.format.syntax] else { return .parts(scrape.parts) }
        return .bytes(try compressed.gzip(scrape.parts))
    }

    private func respond(with names: Set<String>, as variant: ScrapeVariant) async throws -> HTTPResponse {
        let body = try await HTTPServer.offload { [self] in
            let gathering = await registry.gather()
            report(gathering.failures)
            let encoded = variant.format.encode(gathering.keeping(names: names).families)
            return variant.takesGzip ? try Gzip.compress(encoded) : encoded
        }
        return HTTPResponse(headers: variant.headers, body: .bytes(body))
    }

    private func report(_ found: [CollectionFailure]) {
        guard let first = found.first else { return }
        let now = now()
        guard let repeats = failures.withLock({ $0.admit(at: now) }) else { return }
        logger.error(
            "Metrics are missing from a scrape",
            ["error": .string(first.description), "failures": .int(found.count), "repeats": .int(repeats)]
        )
    }
}
