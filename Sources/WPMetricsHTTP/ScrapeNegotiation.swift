// SPDX-License-Identifier: MIT

import Synchronization
import WPHTTP
import WPMetrics
import WPText

/// The form of a response to a scrape.
struct ScrapeVariant: Sendable {
    let format: ExpositionFormat
    let takesGzip: Bool
    /// The header fields of the response.
    let headers: HTTPFields

    init(accept: [String], acceptEncoding: [String]) {
        format = ExpositionFormat.negotiate(accept: accept)
        takesGzip = AcceptEncoding.takesGzip(acceptEncoding)
        var headers: HTTPFields = ["Content-Type": format.contentType, "Vary": "Accept, Accept-Encoding"]
        if takesGzip { headers.append(name: "Content-Encoding", value: "gzip") }
        self.headers = headers
    }
}

/// Finds the variant that a request asks for. A scraper sends the same fields each time, so the last answer is kept.
final class ScrapeNegotiation: Sendable {
    private struct Known {
        var accept: [String]
        var acceptEncoding: [String]
        var variant: ScrapeVariant
    }

    private let last = Mutex<Known?>(nil)

    func variant(for headers: HTTPFields) -> ScrapeVariant {
        let accept = headers.values(of: "Accept")
        let acceptEncoding = headers.values(of: "Accept-Encoding")
        return last.withLock { last in
            if let last, last.accept == accept, last.acceptEncoding == acceptEncoding { return last.variant }
            let variant = ScrapeVariant(accept: accept, acceptEncoding: acceptEncoding)
            last = Known(accept: accept, acceptEncoding: acceptEncoding, variant: variant)
            return variant
        }
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
