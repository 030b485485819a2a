// SPDX-License-Identifier: MIT

import Synchronization
import WPGzip
import WPHTTP
import WPLogging
import WPMetrics
import WPModel
import WPServer

/// `GET /metrics`: the registry in the format that the scraper asks for, compressed when it takes that, and only the
/// families that it names by `name[]`, if any.
///
/// What a collector fails to give is missing from the answer and logged; the rest is served all the same.
final class MetricsEndpoint: HTTPHandler {
    private let registry: Registry
    private let exposition: LiveExposition
    private let timeSource: any TimeSource
    private let logger: Logger
    private let body = ScrapeBody()
    private let negotiation = ScrapeNegotiation()
    private let shared = SharedScrape()
    private let failures = Mutex(RepeatGate(interval: .seconds(300)))

    init(registry: Registry, timeSource: any TimeSource, logger: Logger) {
        self.registry = registry
        exposition = LiveExposition(of: registry)
        self.timeSource = timeSource
        self.logger = logger
    }

    nonisolated(nonsending) func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let wish = negotiation.wish(of: request.headers)
        let names = ScrapeQuery.names(request.query)
        guard names.isEmpty else {
            let gathering = await registry.gather()
            report(gathering.failures)
            let encoded = wish.format.encode(gathering.keeping(names: names).families)
            return HTTPResponse(
                headers: wish.headers,
                body: .bytes(wish.takesGzip ? try Gzip.compress(encoded) : encoded)
            )
        }
        if let response = shared.response(to: request.arrival, wish) { return response }
        let scrape = await exposition.scrape(as: wish.format)
        report(scrape.failures)
        let response = HTTPResponse(
            headers: wish.headers,
            body: wish.takesGzip
                ? .bytes(try body.gzip(scrape.segments, wish.format)) : .parts(body.plain(scrape.segments))
        )
        shared.keep(response, request.arrival, wish)
        return response
    }

    private func report(_ found: [CollectionFailure]) {
        guard let first = found.first else { return }
        let now = timeSource.now.monotonic
        guard let repeats = failures.withLock({ $0.admit(at: now) }) else { return }
        logger.error(
            "Metrics are missing from a scrape",
            ["error": .string(first.description), "failures": .int(found.count), "repeats": .int(repeats)]
        )
    }
}
