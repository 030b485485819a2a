// SPDX-License-Identifier: MIT

/// What a database says of a query that it has not run.
package struct QueryDescription: Sendable, Hashable {
    /// How it ended.
    package enum Outcome: Sendable, Hashable {
        /// The columns are those that the metrics and labels name.
        case fits
        /// They are not, or the database refuses the session or the statement.
        case misfit
        /// The database cannot be reached, so that nothing is known.
        case noAnswer
    }

    package let outcome: Outcome
    /// The query, its database, and the columns or the reason.
    package let text: String

    init(_ outcome: Outcome, _ text: String) {
        (self.outcome, self.text) = (outcome, text)
    }
}
