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
/// again, and scrapes that arrive together share one response. Encoding or compressing that takes more than a few
/// milliseconds does not run on the server's thread.
///
/// A collector that fails is missing from the response and logged, at most once in five minutes; the rest is served.
public final class MetricsHandler: HTTPHandler {
    /// The most bytes that are encoded on the server's thread: a millisecond or so of work.
    static let encodingLimit = 512 << 10
    /// The most bytes that are compressed on the server's thread: about two milliseconds of work.
    static let compressingLimit = 128 << 10

    private let registry: Registry
    private let exposition: LiveExposition
    private let logger: Logger
    private let now: @Sendable () -> Duration
    private let compressed = CompressedSegments()
    private let negotiation = ScrapeNegotiation()
    private let shared = SharedScrape()
    private let failures = Mutex(RepeatGate(interval: .seconds(300)))
    private let workshop = Workshop()

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
    }

    /// Answers a scrape.
    /// - Throws: when zlib has no memory.
    public nonisolated(nonsending) func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let variant = negotiation.variant(for: request.headers)
        let names = ScrapeQuery.names(request.query)
        guard names.isEmpty else { return try await respond(with: names, as: variant) }
        if let response = shared.response(to: request.arrival, variant) { return response }
        let response = HTTPResponse(headers: variant.headers, body: try await body(variant))
        shared.keep(response, request.arrival, variant)
        return response
    }

    /// The whole exposition: made here if that is little work, else in the workshop.
    private nonisolated(nonsending) func body(_ variant: ScrapeVariant) async throws -> HTTPResponse.Body {
        let scrape: LiveExposition.Scrape
        if let quick = exposition.scrape(as: variant.format, encodingAtMost: Self.encodingLimit) {
            scrape = quick
        } else {
            scrape = await HTTPServer.offload { [self] in
                await workshop.scrape(exposition, as: variant.format)
            }
        }
        report(scrape.failures)
        guard variant.takesGzip else { return .parts(scrape.segments.map(\.bytes)) }
        let syntax = variant.format.syntax
        if let quick = try compressed.gzip(scrape.segments, syntax, compressingAtMost: Self.compressingLimit) {
            return .bytes(quick)
        }
        return .bytes(
            try await HTTPServer.offload { [self] in try await workshop.gzip(scrape.segments, syntax, compressed) }
        )
    }

    private func respond(with names: Set<String>, as variant: ScrapeVariant) async throws -> HTTPResponse {
        let (body, failures) = try await HTTPServer.offload { [self] in
            try await workshop.gather(registry, names: names, as: variant)
        }
        report(failures)
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

/// Where large expositions are made, one at a time. It is called aside from the server's thread.
private actor Workshop {
    func scrape(_ exposition: LiveExposition, as format: ExpositionFormat) async -> LiveExposition.Scrape {
        await exposition.scrape(as: format)
    }

    func gzip(
        _ segments: [ExpositionSegment],
        _ syntax: ExpositionFormat.Syntax,
        _ compressed: CompressedSegments
    ) throws -> [UInt8] {
        try compressed.gzip(segments, syntax)
    }

    func gather(
        _ registry: Registry,
        names: Set<String>,
        as variant: ScrapeVariant
    ) async throws -> (body: [UInt8], failures: [CollectionFailure]) {
        let gathering = await registry.gather()
        let encoded = variant.format.encode(gathering.keeping(names: names).families)
        return (variant.takesGzip ? try Gzip.compress(encoded) : encoded, gathering.failures)
    }
}
