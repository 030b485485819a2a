// SPDX-License-Identifier: MIT

import WPCore
import WPModel
import WPServer

/// The users, in the format of NUT's `upsd.users`.
package struct NUTUsers: Sendable, Hashable {
    /// The rights of a user.
    struct Rights: OptionSet, Sendable, Hashable {
        let rawValue: UInt8
        /// Register the client's machine as powered by a UPS.
        static let login = Rights(rawValue: 1)
        /// Decide about the shutdown of others.
        static let primary = Rights(rawValue: 2)
        /// Start a forced shutdown.
        static let forcedShutdown = Rights(rawValue: 4)
        /// Change variables and send commands to UPSes, neither of which is supported.
        static let write = Rights(rawValue: 8)
    }

    /// The credentials of a user.
    enum Proof: Sendable, Hashable {
        case password(Secret)
        case hash(PasswordHash)
    }

    struct User: Sendable, Hashable {
        var rights: Rights = []
        var proof: Proof?
    }

    /// An invalid line.
    package struct Malformed: Error, Sendable, Hashable, CustomStringConvertible {
        var line: Int
        var reason: String

        /// The line and its fault; never a password.
        package var description: String { "line \(line): \(reason)" }
    }

    /// The maximum size of the file, in bytes.
    package static let maxBytes = 1 << 20
    private static let maxUsers = 10_000

    /// The users by name; ``user(_:)`` compares names by bytes.
    private(set) var users: [String: User] = [:]
    /// Warnings about valid but questionable lines.
    package private(set) var warnings: [String] = []

    /// No users.
    package init() {}

    /// Parses a file's text.
    package init(parsing text: String) throws(Malformed) {
        var current: String?
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let number = index + 1
            guard let words = Self.words(line) else {
                throw Malformed(line: number, reason: "a quotation mark is not closed, or a backslash ends the line")
            }
            guard let first = words.first else { continue }
            if first.hasPrefix("["), words.count == 1, first.hasSuffix("]"), first.utf8.count > 2 {
                let name = String(first.dropFirst().dropLast())
                guard users[name] == nil else { throw Malformed(line: number, reason: "[\(name)] appears twice") }
                guard users.count < Self.maxUsers else {
                    throw Malformed(line: number, reason: "there are too many users")
                }
                users[name] = User()
                current = name
                continue
            }
            guard let current, var user = users[current] else {
                throw Malformed(line: number, reason: "a user's name in square brackets must come first")
            }
            try Self.read(words, number, into: &user)
            users[current] = user
        }
        addWarnings()
    }

    private static func read(_ words: [String], _ number: Int, into user: inout User) throws(Malformed) {
        let key = words[0].lowercased()
        let values = Array(words.dropFirst().drop { $0 == "=" })
        switch key {
        case "password":
            guard values.count == 1, let value = values.first, !value.isEmpty else {
                throw Malformed(line: number, reason: "one password is needed, in quotation marks if it has spaces")
            }
            if value.hasPrefix("$") {
                do throws(PasswordHash.Unusable) {
                    user.proof = .hash(try PasswordHash(parsing: value))
                } catch {
                    throw Malformed(
                        line: number,
                        reason: "the password begins with $ as a hash does, but \(error.message)"
                    )
                }
            } else {
                user.proof = .password(Secret(value))
            }
        case "upsmon":
            switch values.first?.lowercased() {
            case "primary", "master": user.rights.formUnion([.login, .primary, .forcedShutdown])
            case "secondary", "slave": user.rights.insert(.login)
            default: throw Malformed(line: number, reason: "upsmon must be primary or secondary")
            }
        case "actions":
            for value in values {
                switch value.uppercased() {
                case "FSD": user.rights.insert(.forcedShutdown)
                case "SET": user.rights.insert(.write)
                default: throw Malformed(line: number, reason: "the actions are SET and FSD")
                }
            }
        case "instcmds":
            user.rights.insert(.write)
        default:
            throw Malformed(line: number, reason: "unknown key; the keys are password, upsmon, actions and instcmds")
        }
    }

    /// The words of a line, where `=` is a separate word.
    private static func words(_ line: Substring) -> [String]? {
        let text = String(line)
        guard let first = text.utf8.first(where: { $0 != 0x20 && $0 != 0x09 }), first != UInt8(ascii: "#") else {
            return []
        }
        // Only the first `=` is a separator: hashes and passwords may contain more.
        // lint: a line of the users' file
        guard let index = text.utf8.firstIndex(of: UInt8(ascii: "=")) else { return try? NUTWords.split(text.utf8) }
        // lint: a line of the users' file
        guard let key = try? NUTWords.split(text.utf8[..<index]),
            // lint: a line of the users' file
            let values = try? NUTWords.split(text.utf8[text.utf8.index(after: index)...])
        else { return nil }
        return key + ["="] + values
    }

    private mutating func addWarnings() {
        for (name, user) in users.sorted(by: { $0.key < $1.key }) {
            switch user.proof {
            case nil: warnings.append("[\(name)] has no password, so nobody can log in as \(name)")
            case .password(let secret):
                let text = secret.reveal()
                if text.utf8.contains(where: { $0 == 0x20 || $0 == 0x22 || $0 == 0x5C || $0 == 0x23 }) {
                    warnings.append(
                        "the password of [\(name)] contains a space, a quotation mark, a backslash or a #, which upsmon "
                            + "sends unescaped: its login will fail"
                    )
                }
            case .hash: break
            }
            if user.rights.isEmpty {
                warnings.append("[\(name)] has no role; add `upsmon primary` or `upsmon secondary`")
            }
        }
    }

    /// The user with a name, compared by bytes.
    func user(_ name: String) -> User? {
        guard let index = users.index(forKey: name) else { return nil }
        // Canonically equivalent strings are equal, but have different bytes.
        return Array(users[index].key.utf8) == Array(name.utf8) ? users[index].value : nil
    }
}
