// SPDX-License-Identifier: MIT

/// A database that runs statements.
package protocol PostgresDatabase: AnyObject, Sendable {
    /// Runs a statement and returns its whole result.
    /// - Parameter onSession: called when the statement gets a session, with the names of the statements that occupied
    ///   the sessions; empty if it did not wait.
    /// - Throws: ``PostgresError``; with ``PostgresError/Code/cancelled`` if the task is cancelled.
    func run(
        _ statement: PostgresStatement,
        onSession: @escaping @Sendable (_ waitedFor: [String]) -> Void
    ) async throws -> PostgresResult

    /// Returns the columns of a statement, without running it.
    /// - Throws: ``PostgresError``.
    func describe(_ statement: PostgresStatement) async throws -> [PostgresColumn]
}

extension PostgresDatabase {
    /// Runs a statement and returns its whole result.
    /// - Throws: ``PostgresError``; with ``PostgresError/Code/cancelled`` if the task is cancelled.
    package func run(_ statement: PostgresStatement) async throws -> PostgresResult {
        try await run(statement) { _ in }
    }
}

/// Opens sessions for a pool.
package protocol PostgresConnecting: Sendable {
    /// Opens a session.
    /// - Parameter onEnd: called once when all resources of the session are released, even if it could not be opened: a
    ///   lookup may continue after its deadline.
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
    /// Whether the session is known to be unusable: the server closed it, or a statement left a transaction open.
    func isLost() async -> Bool
    /// Closes the session.
    func close()
}
