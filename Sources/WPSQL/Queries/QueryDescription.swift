// SPDX-License-Identifier: MIT

/// The database's description of a query that it has not run.
package struct QueryDescription: Sendable, Hashable {
    /// The result.
    package enum Outcome: Sendable, Hashable {
        /// The columns match the metrics and labels.
        case matches
        /// The columns do not match, or the database rejects the session or the statement.
        case mismatch
        /// The database is unreachable, so the result is unknown.
        case unreachable
    }

    package let outcome: Outcome
    /// The query, its database, and the columns or the reason.
    package let text: String

    init(_ outcome: Outcome, _ text: String) {
        (self.outcome, self.text) = (outcome, text)
    }
}
