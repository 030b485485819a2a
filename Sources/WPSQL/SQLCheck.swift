// SPDX-License-Identifier: MIT

import WPQueries

/// What the databases say of a file's queries.
package struct SQLCheck: Sendable {
    /// One line per query and database: `ok`, `FAIL`, or `skip` for a database that cannot be reached, with the columns or
    /// the reason.
    package let lines: [String]
    /// How many queries are not checked, because their databases cannot be reached.
    package let unknownCount: Int
    /// Whether no query is known to be wrong.
    package let isFine: Bool

    init(_ found: [QueryDescription]) {
        lines = found.map { query in
            switch query.outcome {
            case .fits: "ok    \(query.text)"
            case .misfit: "FAIL  \(query.text)"
            case .noAnswer: "skip  \(query.text)"
            }
        }
        unknownCount = found.count { $0.outcome == .noAnswer }
        isFine = !found.contains { $0.outcome == .misfit }
    }
}
