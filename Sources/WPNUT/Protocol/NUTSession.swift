// SPDX-License-Identifier: MIT

import WPCore

/// The state of one connection: the claimed user, and the UPS it is logged in to. A value type without I/O; it does not
/// check passwords.
struct NUTSession: Sendable {
    /// The next step after a line.
    enum Step: Sendable, Equatable {
        /// Send this reply.
        case reply(String)
        /// The reply depends on the user's rights: check them, then call ``finish(_:isGranted:view:)``.
        case authenticate(NUTAttempt)
        /// Send this, then start the TLS handshake.
        case startTLS(String)
        /// Send this, then close the connection.
        case close(String)
    }

    /// The state of encryption.
    enum Encryption: Sendable, Hashable {
        /// The server has no certificate.
        case unavailable
        case available
        case active
    }

    /// The maximum size of a user name or password.
    static let maxCredentialBytes = 512

    private(set) var username: String?
    private var password: Secret?
    /// The canonical name of the UPS that the client is logged in to.
    private(set) var login: String?

    /// Processes a line.
    /// - Parameters:
    ///   - line: without its line feed.
    ///   - view: the current view.
    /// - Returns: the next step, and the command if the line is one.
    mutating func receive(
        _ line: some Collection<UInt8>,
        encryption: Encryption,
        view: some NUTView
    ) -> (command: NUTCommand?, step: Step) {
        // lint: a line from a client
        guard let words = try? NUTWords.split(line) else { return (nil, .reply(NUTError.invalidArgument.reply)) }
        guard let command = words.first.flatMap(NUTCommand.init(word:)) else {
            return (nil, .reply(NUTError.unknownCommand.reply))
        }
        do throws(NUTError) {
            return (command, try step(command, Array(words.dropFirst()), encryption, view))
        } catch {
            return (command, .reply(error.reply))
        }
    }

    private mutating func step(
        _ command: NUTCommand,
        _ words: [String],
        _ encryption: Encryption,
        _ view: some NUTView
    ) throws(NUTError) -> Step {
        if command.needsUser {
            guard username != nil else { throw .usernameRequired }
            guard password != nil else { throw .passwordRequired }
        }
        switch command {
        case .version: return .reply("\(view.serverInfo)\n")
        case .networkVersion, .protocolVersion: return .reply("1.3\n")
        case .help: return .reply("Commands: \(NUTCommand.allCases.map(\.rawValue).joined(separator: " "))\n")
        case .list: return .reply(try NUTQuery.list(words, view))
        case .get: return .reply(try NUTQuery.get(words, view))
        case .username:
            guard words.count == 1, words[0].utf8.count <= Self.maxCredentialBytes else { throw .invalidArgument }
            guard username == nil else { throw .alreadySetUsername }
            username = words[0]
            return .reply("OK\n")
        case .password:
            guard words.count == 1, words[0].utf8.count <= Self.maxCredentialBytes else { throw .invalidArgument }
            guard password == nil else { throw .alreadySetPassword }
            password = Secret(words[0])
            return .reply("OK\n")
        case .login, .primary, .master, .forcedShutdown:
            guard words.count == 1 else { throw .invalidArgument }
            guard command != .login || login == nil else { throw .alreadyLoggedIn }
            let action: NUTAttempt.Action =
                switch command {
                case .login: .login
                case .primary: .primary
                case .master: .master
                default: .forcedShutdown
                }
            return try attempt(action, words[0], view)
        case .set: return try set(words, view)
        case .instantCommand:
            guard words.count >= 2 else { throw .invalidArgument }
            return try attempt(.write(.commandNotSupported), words[0], view)
        case .startTLS:
            switch encryption {
            case .unavailable: throw .featureNotConfigured
            case .active: throw .alreadyEncrypted
            case .available: return .startTLS("OK STARTTLS\n")
            }
        case .logout:
            guard words.isEmpty else { throw .invalidArgument }
            return .close("OK Goodbye\n")
        }
    }

    private func attempt(_ action: NUTAttempt.Action, _ ups: String, _ view: some NUTView) throws(NUTError) -> Step {
        _ = try view.requireKnown(ups)
        guard let username, let password else { throw .usernameRequired }
        return .authenticate(NUTAttempt(action: action, ups: ups, username: username, password: password))
    }

    private func set(_ words: [String], _ view: some NUTView) throws(NUTError) -> Step {
        guard let kind = words.first?.asciiLowercased else { throw .invalidArgument }
        if kind == "tracking", words.count == 2 {
            // Nothing ever changes, so there is nothing to track.
            guard words[1].asciiLowercased == "off" else { throw .featureNotConfigured }
            return .reply("OK\n")
        }
        guard kind == "var", words.count >= 4 else { throw .invalidArgument }
        let hasVariable: Bool
        switch view.state(of: words[1]) {
        case .current(let variables): hasVariable = variables[anyCase: words[2]] != nil
        case .stale, .notConnected: hasVariable = true
        case nil: throw .unknownUPS
        }
        return try attempt(.write(hasVariable ? .readOnly : .variableNotSupported), words[1], view)
    }

    /// Completes an attempt whose user has been checked.
    /// - Parameter isGranted: whether the credentials are valid and the user has the right.
    /// - Returns: the reply, and the change that the attempt causes.
    mutating func finish(
        _ attempt: NUTAttempt,
        isGranted: Bool,
        view: some NUTView
    ) -> (reply: String, change: Change?) {
        guard isGranted else { return (NUTError.accessDenied.reply, nil) }
        do throws(NUTError) {
            let name = try view.requireKnown(attempt.ups)
            switch attempt.action {
            case .login:
                guard login == nil else { throw .alreadyLoggedIn }
                login = name
                return ("OK\n", .loggedIn(name))
            case .primary: return ("OK PRIMARY-GRANTED\n", nil)
            case .master: return ("OK MASTER-GRANTED\n", nil)
            case .forcedShutdown: return ("OK FSD-SET\n", .forcedShutdown(name))
            case .write(let error): throw error
            }
        } catch {
            return (error.reply, nil)
        }
    }

    /// A change that an attempt causes.
    enum Change: Sendable, Equatable {
        /// The connection counts as a login to this UPS until it ends.
        case loggedIn(String)
        /// A primary has started a forced shutdown of this UPS's machines.
        case forcedShutdown(String)
    }
}
