// SPDX-License-Identifier: MIT

import Synchronization
import WPHTTP
import WPMetrics

/// What scrapers take. A scraper says the same each time, so that the last answer nearly always does.
final class ScrapeNegotiation: Sendable {
    /// What one scraper takes.
    struct Wish: Sendable {
        let format: ExpositionFormat
        let takesGzip: Bool
        /// The fields of the response that say so.
        let headers: HTTPFields
    }

    private struct Known {
        var accept: [String]
        var acceptEncoding: [String]
        var wish: Wish
    }

    private let last = Mutex<Known?>(nil)

    /// What the fields of a request ask for.
    func wish(of headers: HTTPFields) -> Wish {
        let accept = headers.values(of: "Accept")
        let acceptEncoding = headers.values(of: "Accept-Encoding")
        return last.withLock { last in
            if let last, last.accept == accept, last.acceptEncoding == acceptEncoding { return last.wish }
            let wish = Self.read(accept, acceptEncoding)
            last = Known(accept: accept, acceptEncoding: acceptEncoding, wish: wish)
            return wish
        }
    }

    private static func read(_ accept: [String], _ acceptEncoding: [String]) -> Wish {
        let format = ExpositionFormat.negotiate(accept: accept.isEmpty ? nil : accept.joined(separator: ","))
        let takesGzip = AcceptEncoding.takesGzip(acceptEncoding)
        var headers: HTTPFields = ["Content-Type": format.contentType, "Vary": "Accept, Accept-Encoding"]
        if takesGzip { headers.append(name: "Content-Encoding", value: "gzip") }
        return Wish(format: format, takesGzip: takesGzip, headers: headers)
    }
}

/// The `Accept-Encoding` header (RFC 9110, section 12.5.3), as far as gzip goes.
enum AcceptEncoding {
    static func takesGzip(_ values: [String]) -> Bool {
        var wildcard = false
        for part in values.flatMap({ $0.split(separator: ",") }) {
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
