// SPDX-License-Identifier: MIT

import WPText

/// The query of a scrape: `name[]=x&name[]=y` asks for some families only, as client_golang's handlers understand it.
enum ScrapeQuery {
    /// More names than anybody asks for.
    private static let maximumNames = 1000

    /// The names; none when the query has none. What is not percent-encoded as it should be names no family.
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
