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
    private let gatherer: any MetricGatherer
    private let timeSource: any TimeSource
    private let logger: Logger
    private let body = ScrapeBody()
    private let failures = Mutex(RepeatGate(interval: .seconds(300)))

    init(gatherer: any MetricGatherer, timeSource: any TimeSource, logger: Logger) {
        self.gatherer = gatherer
        self.timeSource = timeSource
        self.logger = logger
    }

    func respond(to request: HTTPRequest) async throws -> HTTPResponse {
        let gathering = await gatherer.gather()
        report(gathering.failures)
        let accept = request.headers.values(of: "Accept")
        let format = ExpositionFormat.negotiate(accept: accept.isEmpty ? nil : accept.joined(separator: ","))
        var response = HTTPResponse(headers: ["Content-Type": format.contentType])
        response.headers.append(name: "Vary", value: "Accept, Accept-Encoding")
        let takesGzip = AcceptEncoding.takesGzip(request.headers)
        if takesGzip { response.headers.append(name: "Content-Encoding", value: "gzip") }
        let names = ScrapeQuery.names(request.query)
        guard names.isEmpty else {
            let encoded = format.encode(gathering.keeping(names: names).families)
            response.body = .bytes(takesGzip ? try Gzip.compress(encoded) : encoded)
            return response
        }
        response.body = .bytes(
            takesGzip ? try body.gzip(gathering.families, format) : body.plain(gathering.families, format)
        )
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

/// The `Accept-Encoding` header (RFC 9110, section 12.5.3), as far as gzip goes.
enum AcceptEncoding {
    static func takesGzip(_ headers: HTTPFields) -> Bool {
        var wildcard = false
        for part in headers.values(of: "Accept-Encoding").flatMap({ $0.split(separator: ",") }) {
            let pieces = part.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
            let isRefused = pieces.dropFirst().contains { $0.hasPrefix("q=") && (Double($0.dropFirst(2)) ?? 0) == 0 }
            switch pieces.first {
            case "gzip", "x-gzip": return !isRefused
            case "*": wildcard = !isRefused
            default: break
            }
        }
        return wildcard
    }
}
