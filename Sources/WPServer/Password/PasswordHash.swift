// SPDX-License-Identifier: MIT

import COpenSSL

#if os(Linux)
import CCrypt
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The hash of a password in crypt(5) format: bcrypt (`$2b$`, or `$2a$` and `$2y$` from other programs), yescrypt
/// (`$y$`), SHA-512 (`$6$`) or SHA-256 (`$5$`).
///
/// Uses the system's libcrypt. Descriptions and errors contain neither hash nor password.
package struct PasswordHash: Sendable, Hashable, CustomStringConvertible, CustomReflectable {
    /// Why a hash is unusable.
    package struct Unusable: Error, Sendable, Hashable, CustomStringConvertible {
        /// What is wrong and what to do, as a clause to follow a colon.
        package var message: String

        /// The message.
        package var description: String { message }
    }

    /// The maximum password length of libcrypt in bytes.
    static let maxPasswordBytes = 511
    /// The maximum cost of bcrypt: each step doubles the time.
    static let maxBcryptCost = 15
    /// The maximum number of rounds of SHA-256 and SHA-512.
    static let maxRounds = 5_000_000

    /// The maximum memory of yescrypt in bytes; the default of `mkpasswd` is 16 MiB.
    static let maxYescryptMemory: UInt64 = 128 << 20
    /// The maximum total memory traffic of yescrypt in bytes.
    static let maxYescryptWork: UInt64 = 512 << 20

    private let text: String

    /// Parses a hash, without computing anything.
    /// - Throws: ``Unusable`` if its method is unknown, it is incomplete, or too expensive.
    package init(parsing text: String) throws(Unusable) {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false).dropFirst()
        guard text.hasPrefix("$"), let kind = parts.first else { throw Self.unknown }
        let rest = Array(parts.dropFirst())
        switch kind {
        case "2a", "2b", "2y":
            guard rest.count == 2, let cost = Int(rest[0]), rest[0].utf8.count == 2, Self.isText(rest[1], 53...53)
            else {
                throw Self.incomplete
            }
            try Self.require(
                cost <= Self.maxBcryptCost,
                "its cost is \(cost), and at most \(Self.maxBcryptCost) is accepted"
            )
        case "5", "6":
            let hasRounds = rest.first?.hasPrefix("rounds=") == true
            let fields = hasRounds ? Array(rest.dropFirst()) : rest
            let length = kind == "5" ? 43 : 86
            guard fields.count == 2, Self.isText(fields[0], 0...16), Self.isText(fields[1], length...length) else {
                throw Self.incomplete
            }
            guard hasRounds else { break }
            guard let rounds = Int(rest[0].dropFirst(7)) else { throw Self.incomplete }
            try Self.require(
                rounds <= Self.maxRounds,
                "it has \(rounds) rounds, and at most \(Self.maxRounds) are accepted"
            )
        case "y":
            guard rest.count == 3, Self.isText(rest[0], 2...32), Self.isText(rest[1], 0...86),
                Self.isText(rest[2], 43...43), let cost = YescryptCost(rest[0])
            else { throw Self.incomplete }
            try Self.require(
                cost.memoryBytes <= Self.maxYescryptMemory && cost.workBytes <= Self.maxYescryptWork,
                "it takes \(cost.memoryBytes >> 20) MiB of memory, \(cost.passes) times; at most "
                    + "\(Self.maxYescryptMemory >> 20) MiB in \(Self.maxYescryptWork / Self.maxYescryptMemory) "
                    + "passes are accepted"
            )
        default:
            throw Self.unknown
        }
        self.text = text
    }

    /// Tests whether this system's libcrypt supports the method. Takes as long as a check.
    /// - Throws: ``Unusable`` if it does not.
    package func probe() throws(Unusable) {
        guard Self.compute("", text)?.count == text.utf8.count else {
            #if os(Linux)
            throw Unusable(message: "this system's libcrypt does not support the method; use another, such as bcrypt")
            #else
            throw Unusable(message: "crypt(3) on this system supports none of the methods; use a password file instead")
            #endif
        }
    }

    /// Whether a password matches. Hashing takes up to several seconds of CPU time by design: never call this on a
    /// shared thread.
    package func matches(_ password: String) -> Bool {
        // A NUL would end the C string.
        guard !password.utf8.contains(0), password.utf8.count <= Self.maxPasswordBytes else { return false }
        guard let computed = Self.compute(password, text) else { return false }
        let expected = Array(text.utf8)
        return computed.count == expected.count && CRYPTO_memcmp(computed, expected, expected.count) == 0
    }

    /// `<REDACTED>`
    package var description: String { "<REDACTED>" }

    /// A mirror without content.
    package var customMirror: Mirror { Mirror(self, children: []) }

    private static func compute(_ password: String, _ setting: String) -> [UInt8]? {
        #if os(Linux)
        guard let state = calloc(1, CCRYPT_STATE_SIZE) else { return nil }
        defer {
            // It contains the password.
            OPENSSL_cleanse(state, CCRYPT_STATE_SIZE)
            free(state)
        }
        guard let result = ccrypt_hash(password, setting, state), result.pointee != UInt8(ascii: "*") else {
            return nil
        }
        return UnsafeBufferPointer(start: result, count: strlen(result)).map { UInt8(bitPattern: $0) }
        #else
        return nil
        #endif
    }

    private static func isText(_ text: Substring, _ length: ClosedRange<Int>) -> Bool {
        length.contains(text.utf8.count)
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
                // Dot, slash and the digits.
                case UInt8(ascii: ".")...UInt8(ascii: "9"): true
                default: false
                }
            }
    }

    private static func require(_ condition: Bool, _ fault: String) throws(Unusable) {
        guard condition else { throw Unusable(message: fault) }
    }

    private static let unknown = Unusable(
        message: "it is not a hash of a supported kind, which begins with $2b$, $2y$, $y$, $6$ or $5$; "
            + "`htpasswd -nB USER` and `mkpasswd` create such hashes"
    )
    private static let incomplete = Unusable(
        message: "the hash is incomplete; in a shell, single quotes keep its dollar signs"
    )
}
