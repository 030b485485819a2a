// SPDX-License-Identifier: MIT

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

    private let state = Mutex(State())

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
    ///   - address: where it comes from.
    ///   - now: the monotonic clock.
    nonisolated(nonsending) func check(_ attempt: NUTAttempt, from address: String, now: Duration) async -> Outcome {
        let (isAllowed, user) = state.withLock { state in
            (state.failures.allows(address, at: now), state.users.user(attempt.username))
        }
        guard isAllowed else { return .rate }
        let isRight: Bool
        do throws(PasswordChecker.Overloaded) {
            isRight = try await Self.isRight(attempt, user, checker(of: attempt.username, user))
        } catch {
            return .busy
        }
        guard isRight, let user else {
            state.withLock { $0.failures.add(address, at: now) }
            return .credentials
        }
        return user.rights.contains(attempt.action.right) ? .granted : .role
    }

    private func checker(of name: String, _ user: NUTUsers.User?) -> PasswordChecker? {
        guard case .hash? = user?.proof else { return nil }
        return state.withLock { state in
            if let checker = state.checkers[name] { return checker }
            let checker = PasswordChecker()
            state.checkers[name] = checker
            return checker
        }
    }

    private nonisolated(nonsending) static func isRight(
        _ attempt: NUTAttempt,
        _ user: NUTUsers.User?,
        _ checker: PasswordChecker?
    ) async throws(PasswordChecker.Overloaded) -> Bool {
        switch user?.proof {
        case .password(let secret): return ConstantTime.equal(attempt.password.reveal(), secret.reveal())
        case nil:
            _ = ConstantTime.equal(attempt.password.reveal(), nobody.reveal())
            return false
        case .hash(let hash):
            guard let checker else { throw PasswordChecker.Overloaded() }
            let account = PasswordChecker.Account(username: attempt.username, hash: hash)
            // Once one of many clients with the same password has been checked, the others are known at once.
            for _ in 0..<patience {
                do throws(PasswordChecker.Overloaded) {
                    return try await checker.isRight(
                        username: attempt.username,
                        password: attempt.password.reveal(),
                        for: account
                    )
                } catch {
                    do { try await Task.sleep(for: step) } catch { throw PasswordChecker.Overloaded() }
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
