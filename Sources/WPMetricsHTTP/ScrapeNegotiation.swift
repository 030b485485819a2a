// SPDX-License-Identifier: MIT

import WPCore
import WPHTTP
import WPMetrics

/// The negotiated format of a response to a scrape.
struct ScrapeVariant: Sendable {
    let format: ExpositionFormat
    let acceptsGzip: Bool
    /// The header fields of the response.
    let headers: HTTPFields

    /// Negotiates the variant for a request.
    init(for request: HTTPFields) {
        format = ExpositionFormat.negotiate(accept: request.values(of: "Accept"))
        acceptsGzip = AcceptEncoding.acceptsGzip(request.values(of: "Accept-Encoding"))
        var headers: HTTPFields = ["Content-Type": format.contentType, "Vary": "Accept, Accept-Encoding"]
        if acceptsGzip { headers.append(name: "Content-Encoding", value: "gzip") }
        self.headers = headers
    }
}

/// The query of a scrape: `name[]=x&name[]=y` selects families, as in client_golang.
enum ScrapeQuery {
    /// The names; empty if the query has none. Names with invalid percent-encoding are ignored.
    static func names(_ query: Substring?) -> Set<String> {
        guard let query else { return [] }
        var names: Set<String> = []
        for pair in query.split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, decoded(parts[0]) == "name[]", let name = decoded(parts[1]) else { continue }
            names.insert(name)
        }
        return names
    }

    private static func decoded(_ text: Substring) -> String? {
        PercentEncoding.decode(text.utf8).flatMap { String(validating: $0, as: UTF8.self) }
    }
}
