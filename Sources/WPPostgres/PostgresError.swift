// SPDX-License-Identifier: MIT

/// Why a statement gave no result. No text of it contains a password.
package struct PostgresError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a failure.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        /// libpq is not installed.
        case libraryMissing = "library-missing"
        /// The address of the database cannot be read.
        case invalidAddress = "invalid-address"
        /// The server cannot be reached; the pool tries again later.
        case connect
        /// The server answered and opened no session: the password is wrong, the database or the role does not exist, or all
        /// connection slots are taken. The pool tries again later.
        case refused
        /// An open session was lost: the server restarted, or an administrator ended it.
        case connectionLost = "connection-lost"
        /// The statement took too long, and was cancelled on the server.
        case timeout
        /// The statement waited too long for a lock.
        case lockTimeout = "lock-timeout"
        /// All sessions stayed busy for as long as the statement was allowed to take.
        case busy
        /// The task was cancelled.
        case cancelled
        /// The server refused the statement.
        case statement
        /// The result has more rows or bytes than allowed.
        case limit
        /// A value is not text in UTF-8.
        case encoding
    }

    /// The kind.
    package let code: Code
    /// What failed, why, and what to do: a sentence without a full stop.
    package let message: String
    /// The server's five-character code (SQLSTATE, PostgreSQL's appendix A); nil when the failure is not the server's.
    package let sqlState: String?

    package init(_ code: Code, _ message: String, sqlState: String? = nil) {
        self.code = code
        self.message = message
        self.sqlState = sqlState
    }

    /// The sentence, with the server's code if there is one.
    package var description: String { sqlState.map { "\(message) (SQLSTATE \($0))" } ?? message }

    /// Whether the same statement will fail again until somebody changes it, the schema or the rights; false for what
    /// depends on the data or the moment, such as a division by zero, a deadlock, or a conflict with recovery on a standby.
    package var isPermanent: Bool {
        guard code == .statement else { return false }
        // 42 is for syntax and access rules, 0A for what is not supported, 3D and 3F for names that do not exist, and
        // 25006 for writing in a session that only reads.
        guard let sqlState else { return true }
        return ["42", "0A", "3D", "3F"].contains { sqlState.hasPrefix($0) } || sqlState == "25006"
    }

    /// Whether the session is of no more use.
    var endsSession: Bool {
        switch code {
        case .connectionLost, .timeout, .cancelled, .limit, .connect, .refused: true
        default: false
        }
    }

    /// The kind of a failure that the server reports (SQLSTATE).
    static func code(of sqlState: String) -> Code {
        switch sqlState {
        case "57014": .timeout
        case "55P03": .lockTimeout
        case "57P01", "57P02", "57P03", "57P05", "25P03": .connectionLost
        default: sqlState.hasPrefix("08") ? .connectionLost : .statement
        }
    }

    /// The same with secrets removed.
    func scrubbed(_ scrubber: SecretScrubber) -> PostgresError {
        PostgresError(code, scrubber.scrub(message), sqlState: sqlState)
    }
}
