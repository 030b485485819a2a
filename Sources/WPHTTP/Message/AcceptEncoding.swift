// SPDX-License-Identifier: MIT

/// The `Accept-Encoding` header (RFC 9110, section 12.5.3), for gzip only.
package enum AcceptEncoding {
    /// The maximum number of parsed elements; no client sends that many.
    private static let maximumElements = 64

    /// Whether gzip is accepted; reads at most 64 elements.
    package static func acceptsGzip(_ values: [String]) -> Bool {
        var wildcard = false
        var count = 0
        for value in values.prefix(maximumElements) {
            for part in value.split(separator: ",", maxSplits: maximumElements) {
                count += 1
                guard count <= maximumElements else { return wildcard }
                let pieces = part.split(separator: ";").map { $0.filter { $0 != " " && $0 != "\t" }.lowercased() }
                let isExcluded = pieces.dropFirst().contains {
                    $0.hasPrefix("q=") && (Double($0.dropFirst(2)) ?? 0) == 0
                }
                switch pieces.first {
                case "gzip", "x-gzip": return !isExcluded
                case "*": wildcard = !isExcluded
                default: break
                }
            }
        }
        return wildcard
    }
}
