// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import WPCore
import WPModel
import WPServer

/// Authenticates clients and checks their rights.
final class Authenticator: Sendable {
    private struct State {
        var users = NUTUsers()
        var checkers: [String: PasswordChecker] = [:]
        var failures = FailedLogins()
        var nextQueue = 0
    }

    /// The result of an attempt.
    enum Outcome: String, Sendable, Hashable, CaseIterable {
        case granted
        /// Unknown user or wrong password.
        case credentials
        /// The user lacks the role.
        case role
        /// Too many attempts from this address have failed.
        case rate
        /// Too many passwords are being checked.
        case busy
    }

    /// Compared if the user does not exist, so that the timing does not reveal that.
    private static let dummyPassword = Secret("a password that is compared with in place of one that does not exist")
    /// The maximum number of ``step``s that an attempt waits for earlier password checks.
    private static let maximumWait = 100
    private static let step: Duration = .milliseconds(100)

    /// The maximum number of concurrent hash computations, so that one slow hash does not delay all other users.
    static let maxComputations = 4

    private let state = Mutex(State())
    private let queues = (0..<Authenticator.maxComputations).map {
        DispatchQueue(label: "nut-password-\($0)", qos: .utility)
    }
    private let timeSource: any TimeSource
    private let compute: @Sendable (PasswordHash, String) -> Bool

    /// - Parameters:
    ///   - timeSource: the clock for waiting for earlier checks.
    ///   - compute: checks a password against a hash.
    init(
        timeSource: any TimeSource,
        compute: @escaping @Sendable (PasswordHash, String) -> Bool = { $0.matches($1) }
    ) {
        self.timeSource = timeSource
        self.compute = compute
    }

    /// Replaces the users. Blocked addresses may retry immediately, because the file may have been corrected for them.
    func update(_ users: NUTUsers) {
        state.withLock { state in
            state.users = users
            state.failures = FailedLogins()
            state.checkers = state.checkers.filter { users.users[$0.key] != nil }
        }
    }

    /// Checks an attempt. Password hashes are slow by design and are computed on another thread.
    /// - Parameters:
    ///   - address: the origin; nil for a connection that has presented a correct password before, to which the failure
    ///     limit does not apply.
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

    /// - Parameter mayContinue: checked before each wait, because other attempts from the address may have failed in
    ///   the meantime.
    private nonisolated(nonsending) func isCorrect(
        _ attempt: NUTAttempt,
        _ user: NUTUsers.User?,
        mayContinue: () -> Bool
    ) async throws(PasswordChecker.Overloaded) -> Bool {
        switch user?.proof {
        case .password(let secret): return ConstantTime.equal(attempt.password.reveal(), secret.reveal())
        case nil:
            _ = ConstantTime.equal(attempt.password.reveal(), Self.dummyPassword.reveal())
            return false
        case .hash(let hash):
            let checker = checker(of: attempt.username)
            let account = PasswordChecker.Account(username: attempt.username, hash: hash)
            // The checker remembers a correct password, so the attempts of other clients do not wait for long.
            for _ in 0..<Self.maximumWait where mayContinue() {
                do throws(PasswordChecker.Overloaded) {
                    return try await checker.isRight(
                        username: attempt.username,
                        password: attempt.password.reveal(),
                        for: account
                    )
                } catch {
                    guard await timeSource.hasSlept(for: Self.step) else { throw PasswordChecker.Overloaded() }
                }
            }
            throw PasswordChecker.Overloaded()
        }
    }
}

extension NUTAttempt.Action {
    /// The right that the user needs.
    var right: NUTUsers.Rights {
        switch self {
        case .login: .login
        case .primary, .master: .primary
        case .forcedShutdown: .forcedShutdown
        case .write: .write
        }
    }
}
