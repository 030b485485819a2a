// SPDX-License-Identifier: MIT

/// A database that answers statements.
package protocol PostgresDatabase: AnyObject, Sendable {
    /// Runs a statement and gives its whole result.
    /// - Parameter onSession: called when the statement has a session, with the names of the statements that had the
    ///   sessions while it waited; empty when it did not wait.
    /// - Throws: ``PostgresError``; with ``PostgresError/Code/cancelled`` when the task is cancelled.
    func run(
        _ statement: PostgresStatement,
        onSession: @escaping @Sendable (_ waitedFor: [String]) -> Void
    ) async throws -> PostgresResult

    /// Says which columns a statement gives, without running it.
    /// - Throws: ``PostgresError``.
    func describe(_ statement: PostgresStatement) async throws -> [PostgresColumn]
}

extension PostgresDatabase {
    /// Runs a statement and gives its whole result.
    /// - Throws: ``PostgresError``; with ``PostgresError/Code/cancelled`` when the task is cancelled.
    package func run(_ statement: PostgresStatement) async throws -> PostgresResult {
        try await run(statement) { _ in }
    }
}

/// Opens sessions for a pool.
package protocol PostgresConnecting: Sendable {
    /// Opens a session.
    /// - Parameter onEnd: called once when nothing of the session is left, also when it could not be opened: a look-up
    ///   of a name may go on after its deadline.
    /// - Throws: ``PostgresError``.
    func open(onEnd: @escaping @Sendable () -> Void) async throws -> any PostgresSessioning
}

/// An open session, which runs one statement at a time.
package protocol PostgresSessioning: Sendable {
    /// Runs a statement.
    /// - Throws: ``PostgresError``.
    func run(_ statement: PostgresStatement) async throws -> PostgresResult
    /// Describes a statement.
    /// - Throws: ``PostgresError``.
    func describe(_ statement: PostgresStatement) async throws -> [PostgresColumn]
    /// Whether the session is of no more use, as far as is known here: the server has ended it, or a statement has left
    /// a transaction open.
    func isLost() async -> Bool
    /// Ends the session.
    func close()
}
