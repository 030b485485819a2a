// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import WPModel
import WPPassword
import WPServer

/// Checks who a client is and what it is entitled to.
final class Authenticator: Sendable {
    private struct State {
        var users = NUTUsers()
        var checkers: [String: PasswordChecker] = [:]
        var failures = FailedLogins()
        var nextQueue = 0
    }

    /// How an attempt ended.
    enum Outcome: String, Sendable, Hashable, CaseIterable {
        case granted
        /// Unknown user or wrong password.
        case credentials
        /// The user lacks the role.
        case role
        /// Too many have failed from this address.
        case rate
        /// Too many passwords are being checked.
        case busy
    }

    /// Compared with when there is no such user, so that the time does not tell.
    private static let nobody = Secret("a password that is compared with in place of one that does not exist")
    /// How long an attempt waits until passwords before it are checked, in steps.
    private static let patience = 100
    private static let step: Duration = .milliseconds(100)

    /// How many hashes are computed at a time. One slow hash must not delay all other users.
    static let maxComputations = 4

    private let state = Mutex(State())
    private let queues = (0..<Authenticator.maxComputations).map {
        DispatchQueue(label: "nut-password-\($0)", qos: .utility)
    }
    private let compute: @Sendable (PasswordHash, String) -> Bool

    /// - Parameter compute: whether a password has a hash.
    init(compute: @escaping @Sendable (PasswordHash, String) -> Bool = { $0.matches($1) }) {
        self.compute = compute
    }

    /// Takes other users. Addresses that failed may try again at once: the file was perhaps corrected for them.
    func update(_ users: NUTUsers) {
        state.withLock { state in
            state.users = users
            state.failures = FailedLogins()
            state.checkers = state.checkers.filter { users.users[$0.key] != nil }
        }
    }

    /// Checks an attempt. A password against a hash takes as long as the hash is designed to, aside from the caller's thread.
    /// - Parameters:
    ///   - address: where it comes from; nil for a connection that had the right password before, which need not wait for
    ///     the failures of others.
    ///   - now: the monotonic clock.
    nonisolated(nonsending) func check(_ attempt: NUTAttempt, from address: String?, now: Duration) async -> Outcome {
        let user = state.withLock { $0.users.user(attempt.username) }
        guard isAllowed(address, now) else { return .rate }
        let isRight: Bool
        do throws(PasswordChecker.Overloaded) {
            isRight = try await isCorrect(attempt, user) { self.isAllowed(address, now) }
        } catch {
            return isAllowed(address, now) ? .busy : .rate
        }
        guard isRight, let user else {
            if let address { state.withLock { $0.failures.add(address, at: now) } }
            return .credentials
        }
        return user.rights.contains(attempt.action.right) ? .granted : .role
    }

    private func isAllowed(_ address: String?, _ now: Duration) -> Bool {
        guard let address else { return true }
        return state.withLock { $0.failures.allows(address, at: now) }
    }

    private func checker(of name: String) -> PasswordChecker {
        state.withLock { state in
            if let checker = state.checkers[name] { return checker }
            let queue = queues[state.nextQueue % queues.count]
            state.nextQueue = (state.nextQueue + 1) % queues.count
            let checker = PasswordChecker(maxWaiting: 16, queue: queue, compute: compute)
            state.checkers[name] = checker
            return checker
        }
    }

    /// - Parameter mayGoOn: asked before each wait, since others from the address may have failed meanwhile.
    private nonisolated(nonsending) func isCorrect(
        _ attempt: NUTAttempt,
        _ user: NUTUsers.User?,
        mayGoOn: () -> Bool
    ) async throws(PasswordChecker.Overloaded) -> Bool {
        switch user?.proof {
        case .password(let secret): return ConstantTime.equal(attempt.password.reveal(), secret.reveal())
        case nil:
            _ = ConstantTime.equal(attempt.password.reveal(), Self.nobody.reveal())
            return false
        case .hash(let hash):
            let checker = checker(of: attempt.username)
            let account = PasswordChecker.Account(username: attempt.username, hash: hash)
            // Once one of many clients with the same password has been checked, the others are known at once.
            for _ in 0..<Self.patience where mayGoOn() {
                do throws(PasswordChecker.Overloaded) {
                    return try await checker.isRight(
                        username: attempt.username,
                        password: attempt.password.reveal(),
                        for: account
                    )
                } catch {
                    do { try await Task.sleep(for: Self.step) } catch { throw PasswordChecker.Overloaded() }
                }
            }
            throw PasswordChecker.Overloaded()
        }
    }
}

extension NUTAttempt.Action {
    /// What a user must be entitled to.
    var right: NUTUsers.Rights {
        switch self {
        case .login: .login
        case .primary, .master: .primary
        case .forcedShutdown: .forcedShutdown
        case .write: .write
        }
    }
}
