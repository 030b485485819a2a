// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import Testing

@testable import WPServer

@Suite("Password checker", .timeLimit(.minutes(1)))
struct PasswordCheckerTests {
    private let account: PasswordChecker.Account

    init() throws {
        account = PasswordChecker.Account(username: "prometheus", hash: try PasswordHash(parsing: Samples.bcrypt))
    }

    /// Accepts one password, counts calls, and waits at a gate.
    private final class Computation: Sendable {
        let count = Atomic(0)
        let gate = DispatchSemaphore(value: 0)
        let isGated: Bool

        init(isGated: Bool = false) { self.isGated = isGated }

        var function: @Sendable (PasswordHash, String) -> Bool {
            { [self] _, password in
                if isGated { gate.wait() }
                count.add(1, ordering: .relaxed)
                return password == "right"
            }
        }

        var calls: Int { count.load(ordering: .relaxed) }
    }

    @Test func computesAValidPasswordOnce() async throws {
        let computation = Computation()
        let checker = PasswordChecker(maxWaiting: 4, compute: computation.function)
        for _ in 0..<5 { #expect(try await checker.isRight(username: "prometheus", password: "right", for: account)) }
        #expect(computation.calls == 1)
    }

    @Test func remembersALimitedNumberOfWrongPasswords() async throws {
        let computation = Computation()
        let checker = PasswordChecker(maxWaiting: 4, compute: computation.function)
        let count = PasswordChecker.maxWrongCredentials + 1
        for number in 0..<count {
            #expect(try await !checker.isRight(username: "prometheus", password: "\(number)", for: account))
        }
        // All but the first, which the last has replaced.
        for number in 1..<count {
            #expect(try await !checker.isRight(username: "prometheus", password: "\(number)", for: account))
        }
        #expect(computation.calls == count)
        #expect(try await !checker.isRight(username: "prometheus", password: "0", for: account))
        #expect(computation.calls == count + 1)
        #expect(try await checker.isRight(username: "prometheus", password: "right", for: account))
    }

    @Test func computesUnknownWrongPasswords() async throws {
        let computation = Computation()
        let checker = PasswordChecker(maxWaiting: 4, compute: computation.function)
        let wrong = [
            ("prometheus", "wrong"), ("grafana", "right"), ("", ""), ("prometheu", "sright"), ("prometheusr", "ight"),
        ]
        for (index, (username, password)) in wrong.enumerated() {
            #expect(try await !checker.isRight(username: username, password: password, for: account))
            // A wrong name costs as much as a wrong password.
            #expect(computation.calls == index + 1)
        }
        #expect(try await checker.isRight(username: "prometheus", password: "right", for: account))
        for (username, password) in wrong {
            #expect(try await !checker.isRight(username: username, password: password, for: account))
        }
    }

    @Test func forgetsResultsWhenTheHashChanges() async throws {
        let computation = Computation()
        let checker = PasswordChecker(maxWaiting: 4, compute: computation.function)
        _ = try await checker.isRight(username: "prometheus", password: "right", for: account)
        var other = account
        other.hash = try PasswordHash(parsing: Samples.all[1])
        #expect(try await checker.isRight(username: "prometheus", password: "right", for: other))
        #expect(computation.calls == 2)
    }

    @Test func aFloodDoesNotLockOutKnownUsers() async throws {
        let computation = Computation(isGated: true)
        let checker = PasswordChecker(maxWaiting: 3, compute: computation.function)
        computation.gate.signal()
        #expect(try await checker.isRight(username: "prometheus", password: "right", for: account))
        let account = account
        let outcomes = await withTaskGroup(of: Bool?.self) { group in
            for number in 0..<10 {
                group.addTask {
                    try? await checker.isRight(username: "prometheus", password: "wrong \(number)", for: account)
                }
            }
            // Seven are rejected immediately, while three wait.
            var outcomes: [Bool?] = []
            while outcomes.count < 7, let outcome = await group.next() { outcomes.append(outcome) }
            #expect(outcomes.allSatisfy { $0 == nil })
            let isRight = try? await checker.isRight(username: "prometheus", password: "right", for: account)
            #expect(isRight == true)
            #expect(computation.calls == 1)
            for _ in 0..<3 { computation.gate.signal() }
            for await outcome in group { outcomes.append(outcome) }
            return outcomes
        }
        #expect(outcomes.suffix(3).allSatisfy { $0 == false })
        computation.gate.signal()
        #expect(try await !checker.isRight(username: "prometheus", password: "wrong", for: account))
    }

    #if os(Linux)
    @Test func worksWithLibcrypt() async throws {
        let checker = PasswordChecker()
        #expect(try await checker.isRight(username: "prometheus", password: Samples.password, for: account))
        #expect(try await checker.isRight(username: "prometheus", password: Samples.password, for: account))
        #expect(try await !checker.isRight(username: "prometheus", password: "pa:ss", for: account))
    }
    #endif
}
