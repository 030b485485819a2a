// SPDX-License-Identifier: MIT

/// The result of checking a file's queries against the databases.
package struct SQLCheck: Sendable {
    /// One line per query and database: `ok`, `FAIL`, or `skip` for an unreachable database, with the columns or the
    /// reason.
    package let lines: [String]
    /// The number of queries that were not checked because their databases are unreachable.
    package let unknownCount: Int
    /// Whether no query is known to be invalid.
    package let isValid: Bool

    init(_ found: [QueryDescription]) {
        lines = found.map { query in
            switch query.outcome {
            case .matches: "ok    \(query.text)"
            case .mismatch: "FAIL  \(query.text)"
            case .unreachable: "skip  \(query.text)"
            }
        }
        unknownCount = found.count { $0.outcome == .unreachable }
        isValid = !found.contains { $0.outcome == .mismatch }
    }
}
