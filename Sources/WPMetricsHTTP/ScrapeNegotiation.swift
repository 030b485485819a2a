// SPDX-License-Identifier: MIT

import WPHTTP
import WPMetrics
import WPText

/// The form of a response to a scrape.
struct ScrapeVariant: Sendable {
    let format: ExpositionFormat
    let takesGzip: Bool
    /// The header fields of the response.
    let headers: HTTPFields

    /// What a request asks for.
    init(for request: HTTPFields) {
        format = ExpositionFormat.negotiate(accept: request.values(of: "Accept"))
        takesGzip = AcceptEncoding.takesGzip(request.values(of: "Accept-Encoding"))
        var headers: HTTPFields = ["Content-Type": format.contentType, "Vary": "Accept, Accept-Encoding"]
        if takesGzip { headers.append(name: "Content-Encoding", value: "gzip") }
        self.headers = headers
    }
}

/// The query of a scrape: `name[]=x&name[]=y` asks for some families only, as client_golang's handlers understand it.
enum ScrapeQuery {
    /// More names than anybody asks for.
    private static let maximumNames = 1000

    /// The names; none when the query has none. A name with an invalid percent-encoding is left out.
    static func names(_ query: Substring?) -> Set<String> {
        guard let query else { return [] }
        var names: Set<String> = []
        for pair in query.split(separator: "&", maxSplits: maximumNames) {
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
