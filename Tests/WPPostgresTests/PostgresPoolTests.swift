// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPCore
import WPLogging
import WPTestKit

@testable import WPPostgres

@Suite struct PostgresPoolTests {
    /// Sessions controlled by a test.
    final class FakeConnector: PostgresConnecting {
        struct State {
            var opened = 0
            var failure: PostgresError?
            var ends: [@Sendable () -> Void] = []
        }
        let state = Mutex(State())
        let answers = Mutex<[CheckedContinuation<Result<PostgresResult, PostgresError>, Never>]>([])
        let lost = Mutex(false)
        /// The statements that others waited for.
        let waits = Mutex<[[String]]>([])
        let isHeld: Bool

        init(isHeld: Bool = false) { self.isHeld = isHeld }

        var opened: Int { state.withLock { $0.opened } }

        func open(onEnd: @escaping @Sendable () -> Void) async throws -> any PostgresSessioning {
            lost.withLock { $0 = false }
            let failure = state.withLock { state in
                state.opened += 1
                return state.failure
            }
            if let failure {
                onEnd()
                throw failure
            }
            return FakeSession(connector: self, onEnd: onEnd)
        }

        func answer(_ result: Result<PostgresResult, PostgresError>) async {
            #expect(await eventually { answers.withLock { !$0.isEmpty } })
            answers.withLock { $0.isEmpty ? nil : $0.removeFirst() }?.resume(returning: result)
        }
    }

    final class FakeSession: PostgresSessioning {
        let connector: FakeConnector
        let onEnd: @Sendable () -> Void

        init(connector: FakeConnector, onEnd: @escaping @Sendable () -> Void) {
            self.connector = connector
            self.onEnd = onEnd
        }

        func run(_ statement: PostgresStatement) async throws -> PostgresResult {
            guard connector.isHeld else { return PostgresResult(columns: []) }
            return try await withCheckedContinuation { continuation in
                connector.answers.withLock { $0.append(continuation) }
            }.get()
        }

        func describe(_ statement: PostgresStatement) async throws -> [PostgresColumn] { [] }
        func isLost() async -> Bool { connector.lost.withLock { $0 } }
        func close() { onEnd() }
    }

    private let clock = TestClock()
    private let result = PostgresResult(columns: [])

    private func pool(_ connector: FakeConnector, _ maximum: Int = 1) -> PostgresPool {
        PostgresPool(
            connector,
            PostgresPool.Configuration(maximumSessions: maximum),
            timeSource: clock
        )
    }

    @Test func `reuses a session for the next statement`() async throws {
        let connector = FakeConnector()
        let pool = pool(connector)
        for _ in 0..<5 { _ = try await pool.run(PostgresStatement("SELECT 1")) }
        #expect(connector.opened == 1)
        #expect(pool.statistics == PostgresPool.Statistics(sessions: 1, idle: 1, isUp: true))
    }

    @Test func `limits sessions, and hands a free one to the waiter`() async throws {
        let connector = FakeConnector(isHeld: true)
        let pool = pool(connector, 2)
        try await withThrowingTaskGroup(of: PostgresResult.self) { group in
            for _ in 0..<10 { group.addTask { try await pool.run(PostgresStatement("SELECT 1")) } }
            for _ in 0..<10 { await connector.answer(.success(result)) }
            try await group.waitForAll()
        }
        #expect(connector.opened == 2)
        #expect(pool.statistics.sessions == 2)
    }

    @Test(arguments: [true, false])
    func `does not reuse a session whose transaction cannot be rolled back`(_ rollsBack: Bool) async throws {
        let connector = FakeConnector(isHeld: true)
        let pool = pool(connector)
        let failure = PostgresError(.statement, "no such table", sqlState: "42P01")
        let transaction = Task {
            try await pool.transaction { session throws(PostgresError) in
                do { _ = try await session.run(PostgresStatement("SELECT 1")) } catch { throw failure }
            }
        }
        await connector.answer(.success(result))
        await connector.answer(.failure(failure))
        await connector.answer(rollsBack ? .success(result) : .failure(PostgresError(.statement, "aborted")))
        await #expect(throws: failure) { try await transaction.value }
        let next = Task { try await pool.run(PostgresStatement("SELECT 2")) }
        await connector.answer(.success(result))
        _ = try await next.value
        #expect(connector.opened == (rollsBack ? 1 : 2))
    }

    @Test func `waiting for a session ends after the statement's timeout`() async throws {
        let connector = FakeConnector(isHeld: true)
        let pool = pool(connector)
        let first = Task { try await pool.run(PostgresStatement("SELECT 1", timeout: .seconds(60))) }
        #expect(await eventually { connector.answers.withLock { !$0.isEmpty } })
        let second = Task { try await pool.run(PostgresStatement("SELECT 2", timeout: .seconds(5))) }
        // The first statement's timer has ended, so only the second sleeps.
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: PostgresError.self) { try await second.value }
        #expect(error?.code == .busy)
        await connector.answer(.success(result))
        _ = try await first.value
    }

    @Test func `reports which statements a statement waited for`() async throws {
        let connector = FakeConnector(isHeld: true)
        let pool = pool(connector)
        var slow = PostgresStatement("SELECT 1")
        slow.name = "slow"
        let statement = slow
        let first = Task { try await pool.run(statement) { waited in connector.waits.withLock { $0.append(waited) } } }
        #expect(await eventually { connector.answers.withLock { !$0.isEmpty } })
        let second = Task {
            try await pool.run(PostgresStatement("SELECT 2")) { waited in connector.waits.withLock { $0.append(waited) }
            }
        }
        let third = Task { try await pool.run(PostgresStatement("SELECT 3", timeout: .seconds(5))) }
        try await clock.waitForSleepers(2)
        clock.advance(by: .seconds(5))
        let error = await #expect(throws: PostgresError.self) { try await third.value }
        #expect(error?.message.contains("stayed busy with slow; ") == true)
        await connector.answer(.success(result))
        await connector.answer(.success(result))
        _ = (try await first.value, try await second.value)
        #expect(connector.waits.withLock { $0 } == [[], ["slow"]])
    }

    @Test func `closing waits for the sessions up to a timeout`() async throws {
        let connector = FakeConnector(isHeld: true)
        let pool = pool(connector)
        let run = Task { try await pool.run(PostgresStatement("SELECT 1")) }
        #expect(await eventually { connector.answers.withLock { !$0.isEmpty } })
        let impatient = Task { await pool.close(within: .seconds(3)) }
        try await clock.waitForSleepers(1)
        clock.advance(by: .seconds(3))
        await impatient.value
        #expect(pool.statistics.sessions == 1)
        let patient = Task { await pool.close(within: .seconds(600)) }
        await connector.answer(.success(result))
        await patient.value
        _ = try await run.value
        #expect(pool.statistics.sessions == 0)
    }

    @Test func `closes a session after a timeout and frees its slot`() async throws {
        let connector = FakeConnector(isHeld: true)
        let pool = pool(connector)
        let run = Task { try await pool.run(PostgresStatement("SELECT pg_sleep(9)")) }
        await connector.answer(.failure(PostgresError(.timeout, "too long")))
        await #expect(throws: PostgresError.self) { try await run.value }
        #expect(pool.statistics.sessions == 0)
    }

    @Test func `a session survives a rejected statement`() async throws {
        let connector = FakeConnector(isHeld: true)
        let pool = pool(connector)
        let run = Task { try await pool.run(PostgresStatement("SELEKT")) }
        await connector.answer(.failure(PostgresError(.statement, "syntax error", sqlState: "42601")))
        await #expect(throws: PostgresError.self) { try await run.value }
        #expect(pool.statistics == PostgresPool.Statistics(sessions: 1, idle: 1, isUp: true))
    }

    @Test func `backs off exponentially after failures and recovers`() async throws {
        let connector = FakeConnector()
        let pool = pool(connector)
        connector.state.withLock { $0.failure = PostgresError(.connect, "refused") }
        var attempts: [Duration] = []
        for _ in 0..<80 {
            let before = connector.opened
            await #expect(throws: PostgresError.self) { try await pool.run(PostgresStatement("SELECT 1")) }
            if connector.opened > before { attempts.append(clock.now.monotonic) }
            clock.advance(by: .milliseconds(500))
        }
        let pauses = zip(attempts, attempts.dropFirst()).map { $1 - $0 }
        #expect(
            pauses.prefix(6) == [.milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(15)]
        )
        #expect(pool.statistics == PostgresPool.Statistics(sessions: 0, idle: 0, isUp: false))
        connector.state.withLock { $0.failure = nil }
        clock.advance(by: .seconds(15))
        _ = try await pool.run(PostgresStatement("SELECT 1"))
        #expect(pool.statistics.isUp == true)
    }

    @Test func `replaces a session that the server closed before sending a statement`() async throws {
        let connector = FakeConnector()
        let pool = pool(connector)
        _ = try await pool.run(PostgresStatement("SELECT 1"))
        connector.lost.withLock { $0 = true }
        _ = try await pool.run(PostgresStatement("SELECT 1"))
        #expect(connector.opened == 2)
        #expect(pool.statistics.sessions == 1)
    }

    @Test func `closes idle sessions`() async throws {
        let pool = pool(FakeConnector())
        _ = try await pool.run(PostgresStatement("SELECT 1"))
        clock.advance(by: .seconds(59))
        pool.closeIdle()
        #expect(pool.statistics.sessions == 1)
        clock.advance(by: .seconds(1))
        pool.closeIdle()
        #expect(pool.statistics.sessions == 0)
    }

    @Test func `cancellation removes a waiting statement`() async throws {
        let connector = FakeConnector(isHeld: true)
        let pool = pool(connector)
        let first = Task { try await pool.run(PostgresStatement("SELECT 1")) }
        #expect(await eventually { connector.answers.withLock { !$0.isEmpty } })
        let second = Task { try await pool.run(PostgresStatement("SELECT 2")) }
        try await clock.waitForSleepers(1)
        second.cancel()
        let error = await #expect(throws: PostgresError.self) { try await second.value }
        #expect(error?.code == .cancelled)
        await connector.answer(.success(result))
        _ = try await first.value
        #expect(pool.statistics.idle == 1)
    }

    @Test func `a closed pool closes its sessions and rejects statements`() async throws {
        let pool = pool(FakeConnector())
        _ = try await pool.run(PostgresStatement("SELECT 1"))
        pool.close()
        #expect(pool.statistics.sessions == 0)
        await #expect(throws: PostgresError.self) { try await pool.run(PostgresStatement("SELECT 1")) }
    }
}
