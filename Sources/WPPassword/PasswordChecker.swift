// SPDX-License-Identifier: MIT

import COpenSSL
package import Dispatch
import Synchronization

/// Checks user names and passwords against a hash, as often as requests come.
///
/// Checking a hash is slow by design. So one is computed at a time, on a thread of its own, and few wait for their
/// turn; and credentials that were right, and some that were wrong lately, are known again by a keyed digest
/// (HMAC-SHA-256 with a key of this process) and cost microseconds. A client that floods a server with wrong
/// passwords keeps one thread busy and does not block those who have the right one; a scraper with an old password costs
/// nothing.
package final class PasswordChecker: Sendable {
    /// What a user must present.
    package struct Account: Sendable, Hashable {
        /// The user's name.
        package var username: String
        /// The hash of the password.
        package var hash: PasswordHash

        /// Creates an account.
        package init(username: String, hash: PasswordHash) {
            self.username = username
            self.hash = hash
        }
    }

    /// Too many wait for their turn already.
    package struct Overloaded: Error, Sendable, Hashable {
        /// Creates the error.
        package init() {}
    }

    /// What was found out of an account.
    private struct Known {
        let account: Account
        var right: [UInt8]?
        /// The latest, in the order of a ring.
        var wrong: [[UInt8]] = []
        var next = 0

        mutating func note(_ digest: [UInt8], isRight: Bool) {
            if isRight {
                right = digest
            } else if wrong.count < PasswordChecker.maxWrong {
                wrong.append(digest)
            } else {
                wrong[next] = digest
                next = (next + 1) % wrong.count
            }
        }

        func verdict(on digest: [UInt8]) -> Bool? {
            if let right, DigestKey.areEqual(right, digest) { return true }
            return wrong.contains { DigestKey.areEqual($0, digest) } ? false : nil
        }
    }

    private struct State {
        var known: Known?
        var waiting = 0
        /// Made when the first password comes: it starts OpenSSL, which takes 2 MB that nobody needs without access control.
        lazy var key = DigestKey()
    }

    /// How many wrong credentials are known again.
    static let maxWrong = 64

    private let maxWaiting: Int
    private let state = Mutex(State())
    private let queue: DispatchQueue
    private let compute: @Sendable (PasswordHash, String) -> Bool

    /// Creates a checker that knows nobody yet.
    /// - Parameter maxWaiting: how many checks may be computed or wait for it, at least 1.
    package convenience init(maxWaiting: Int = 16) {
        self.init(maxWaiting: maxWaiting) { $0.matches($1) }
    }

    /// - Parameters:
    ///   - queue: where hashes are computed, one at a time; several checkers may share one.
    ///   - compute: whether a password has a hash; tests count its calls.
    package init(
        maxWaiting: Int,
        queue: DispatchQueue = DispatchQueue(label: "password-check", qos: .utility),
        compute: @escaping @Sendable (PasswordHash, String) -> Bool
    ) {
        self.maxWaiting = max(1, maxWaiting)
        self.queue = queue
        self.compute = compute
    }

    /// Whether a name and a password are those of an account. The time that it takes reveals whether they were checked before,
    /// and nothing else: a wrong name costs what a wrong password does.
    /// - Throws: ``Overloaded``; the same credentials may be right a moment later.
    package func isRight(
        username: String,
        password: String,
        for account: Account
    ) async throws(Overloaded) -> Bool {
        let key = state.withLock { $0.key }
        let digest = key.digest(username, password)
        let verdict = state.withLock { state in
            state.known?.account == account ? state.known?.verdict(on: digest) : nil
        }
        if let verdict { return verdict }
        let isAdmitted = state.withLock { state in
            guard state.waiting < maxWaiting else { return false }
            state.waiting += 1
            return true
        }
        guard isAdmitted else { throw Overloaded() }
        let isUser = DigestKey.areEqual(key.digest(username), key.digest(account.username))
        return await withCheckedContinuation { continuation in
            queue.async { @Sendable [self] in
                let isPassword = compute(account.hash, password)
                let isRight = isUser && isPassword
                state.withLock { state in
                    state.waiting -= 1
                    if state.known?.account != account { state.known = Known(account: account) }
                    state.known?.note(digest, isRight: isRight)
                }
                continuation.resume(returning: isRight)
            }
        }
    }
}
