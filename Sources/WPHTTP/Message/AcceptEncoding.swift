// SPDX-License-Identifier: MIT

/// The header `Accept-Encoding` (RFC 9110, section 12.5.3), as far as gzip is concerned.
package enum AcceptEncoding {
    /// The most elements that are read; no client sends as many.
    private static let maximumElements = 64

    /// Whether a response in gzip is wanted; a header that nobody sends, of more than 64 elements, is read to there.
    package static func takesGzip(_ values: [String]) -> Bool {
        var wildcard = false
        var count = 0
        for value in values.prefix(maximumElements) {
            for part in value.split(separator: ",", maxSplits: maximumElements) {
                count += 1
                guard count <= maximumElements else { return wildcard }
                let pieces = part.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
                let isRefused = pieces.dropFirst().contains {
                    $0.hasPrefix("q=") && (Double($0.dropFirst(2)) ?? 0) == 0
                }
                switch pieces.first {
                case "gzip", "x-gzip": return !isRefused
                case "*": wildcard = !isRefused
                default: break
                }
            }
        }
        return wildcard
    }
}
