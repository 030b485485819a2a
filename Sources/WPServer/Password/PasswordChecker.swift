// SPDX-License-Identifier: MIT

import COpenSSL
package import Dispatch
import Synchronization

/// Checks user names and passwords against a hash for every request.
///
/// Hashing is slow by design, so it runs one at a time on its own thread with a short queue. Correct credentials, and
/// some recent wrong ones, are cached as keyed digests (HMAC-SHA-256), so that a flood of wrong passwords does not
/// block valid clients.
package final class PasswordChecker: Sendable {
    /// The expected credentials.
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

    /// The queue is full.
    package struct Overloaded: Error, Sendable, Hashable {
        /// Creates the error.
        package init() {}
    }

    /// The cached results of an account.
    private struct Known {
        let account: Account
        var right: [UInt8]?
        /// The most recent wrong credentials, in a ring buffer.
        var wrong: [[UInt8]] = []
        var next = 0

        mutating func record(_ digest: [UInt8], isRight: Bool) {
            if isRight {
                right = digest
            } else if wrong.count < PasswordChecker.maxWrongCredentials {
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
        /// Created by the first check, because it initializes OpenSSL, which needs 2 MB.
        lazy var key = DigestKey()
    }

    /// The maximum number of cached wrong credentials.
    static let maxWrongCredentials = 64

    private let maxWaiting: Int
    private let state = Mutex(State())
    private let queue: DispatchQueue
    private let compute: @Sendable (PasswordHash, String) -> Bool

    /// Creates a checker with an empty cache.
    /// - Parameter maxWaiting: the maximum number of running and queued checks, at least 1.
    package convenience init(maxWaiting: Int = 16) {
        self.init(maxWaiting: maxWaiting) { $0.matches($1) }
    }

    /// - Parameters:
    ///   - queue: the serial queue for hashing; several checkers may share it.
    ///   - compute: checks a password against a hash; tests count its calls.
    package init(
        maxWaiting: Int,
        queue: DispatchQueue = DispatchQueue(label: "password-check", qos: .utility),
        compute: @escaping @Sendable (PasswordHash, String) -> Bool
    ) {
        self.maxWaiting = max(1, maxWaiting)
        self.queue = queue
        self.compute = compute
    }

    /// Checks a name and a password. The timing reveals only whether they are cached: a wrong name takes as long as a
    /// wrong password.
    /// - Throws: ``Overloaded``; the client can retry.
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
                    state.known?.record(digest, isRight: isRight)
                }
                continuation.resume(returning: isRight)
            }
        }
    }
}
