// SPDX-License-Identifier: MIT

/// Why a statement failed. Never contains a password.
package struct PostgresError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a failure.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// libpq is not installed.
        case libraryMissing = "library-missing"
        /// The address of the database cannot be read.
        case invalidAddress = "invalid-address"
        /// The server cannot be reached; the pool retries later.
        case connect
        /// The server rejected the session: wrong password, unknown database or role, or no free connection slots. The
        /// pool retries later.
        case refused
        /// An open session was lost: the server restarted, or an administrator terminated it.
        case connectionLost = "connection-lost"
        /// The statement timed out, and was cancelled on the server.
        case timeout
        /// The statement waited too long for a lock.
        case lockTimeout = "lock-timeout"
        /// All sessions stayed busy until the statement's timeout.
        case busy
        /// The task was cancelled.
        case cancelled
        /// The server rejected the statement.
        case statement
        /// The result has more rows or bytes than allowed.
        case limit
        /// A value is not text in UTF-8.
        case encoding
    }

    /// The kind.
    package let code: Code
    /// What failed, why, and what to do, without a full stop.
    package let message: String
    /// The server's five-character code (SQLSTATE, PostgreSQL's appendix A); nil if the server did not report the
    /// failure.
    package let sqlState: String?

    package init(_ code: Code, _ message: String, sqlState: String? = nil) {
        self.code = code
        self.message = message
        self.sqlState = sqlState
    }

    /// The message, with the server's code if there is one.
    package var description: String { sqlState.map { "\(message) (SQLSTATE \($0))" } ?? message }

    /// Whether the statement will fail until it, the schema or the privileges change; false for errors that depend on
    /// data or timing, such as a division by zero, a deadlock, or a recovery conflict on a standby.
    package var isPermanent: Bool {
        guard code == .statement else { return false }
        // 42 is syntax and access rules, 0A unsupported features, 3D and 3F unknown names, and 25006 a write in a
        // read-only session.
        guard let sqlState else { return true }
        return ["42", "0A", "3D", "3F"].contains { sqlState.hasPrefix($0) } || sqlState == "25006"
    }

    /// Whether the session is unusable.
    var endsSession: Bool {
        switch code {
        case .connectionLost, .timeout, .cancelled, .limit, .connect, .refused: true
        default: false
        }
    }

    /// The kind of a server error (SQLSTATE).
    static func code(of sqlState: String) -> Code {
        switch sqlState {
        case "57014": .timeout
        case "55P03": .lockTimeout
        case "57P01", "57P02", "57P03", "57P05", "25P03": .connectionLost
        default: sqlState.hasPrefix("08") ? .connectionLost : .statement
        }
    }

    /// The error with secrets removed.
    func scrubbed(_ scrubber: SecretScrubber) -> PostgresError {
        PostgresError(code, scrubber.scrub(message), sqlState: sqlState)
    }
}
