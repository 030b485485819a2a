// SPDX-License-Identifier: MIT

import Synchronization
package import WPCore
package import WPLogging

/// A session pool for one database, with a fixed limit. Opens sessions on demand, reuses them, and backs off
/// exponentially after failures.
package final class PostgresPool: PostgresDatabase {
    /// The limits and backoff of a pool.
    package struct Configuration: Sendable, Hashable {
        /// The maximum number of sessions, at least 1, including those that are being closed.
        package var maximumSessions: Int
        /// The idle time after which ``PostgresPool/closeIdle()`` closes a session, so that it does not block DROP
        /// DATABASE.
        package var idleTimeout: Duration
        /// The delay after the first failure to open a session; it doubles with each further failure.
        package var firstPause: Duration
        /// The maximum delay.
        package var longestPause: Duration

        package init(
            maximumSessions: Int = 1,
            idleTimeout: Duration = .seconds(60),
            firstPause: Duration = .milliseconds(500),
            longestPause: Duration = .seconds(15)
        ) {
            self.maximumSessions = max(1, maximumSessions)
            self.idleTimeout = idleTimeout
            self.firstPause = firstPause
            self.longestPause = longestPause
        }
    }

    /// The state of a pool at one moment.
    package struct Statistics: Sendable, Hashable {
        /// Sessions that are open, being opened, or being closed.
        package var sessions = 0
        /// Idle sessions.
        package var idle = 0
        /// Whether the last attempt to open a session succeeded; nil before the first.
        package var isUp: Bool?

        package init(sessions: Int = 0, idle: Int = 0, isUp: Bool? = nil) {
            (self.sessions, self.idle, self.isUp) = (sessions, idle, isUp)
        }
    }

    private struct Idle {
        let session: any PostgresSessioning
        let since: Duration
    }

    /// What a waiter for a session receives.
    private enum Turn: Sendable {
        case session(any PostgresSessioning)
        /// A slot to open a session; it is already counted.
        case slot
        case tooLate
        case cancelled
    }

    private struct State {
        var sessions = 0
        var idle: [Idle] = []
        /// Waiters in order of arrival. Those that no longer wait already have a value.
        var waiting: [FirstValue<Turn>] = []
        /// The names of the running statements.
        var holders: [String] = []
        var isUp: Bool?
        var failures = 0
        var opensAt = Duration.zero
        var lastError: PostgresError?
        var isClosed = false

        /// Passes a turn to the first waiter.
        /// - Returns: false if none waits.
        mutating func give(_ turn: Turn) -> Bool {
            while !waiting.isEmpty {
                if waiting.removeFirst().set(turn) { return true }
            }
            return false
        }
    }

    private let connector: any PostgresConnecting
    private let configuration: Configuration
    private let logger: Logger
    private let timeSource: any TimeSource
    private let state = Mutex(State())
    /// Set when a closed pool has no sessions left, or when closing times out.
    private let ended = FirstValue<Void>()

    /// Creates a pool without sessions.
    package init(
        _ connector: any PostgresConnecting,
        _ configuration: Configuration = Configuration(),
        timeSource: any TimeSource = .system,
        logger: Logger = .silent
    ) {
        self.connector = connector
        self.configuration = configuration
        self.logger = logger
        self.timeSource = timeSource
    }

    private var now: Duration { timeSource.now.monotonic }

    /// The current state of the pool.
    package var statistics: Statistics {
        state.withLock { Statistics(sessions: $0.sessions, idle: $0.idle.count, isUp: $0.isUp) }
    }

    package func run(
        _ statement: PostgresStatement,
        onSession: @escaping @Sendable (_ waitedFor: [String]) -> Void
    ) async throws -> PostgresResult {
        try await withSession(statement.name, waitingAtMost: statement.timeout, onSession) {
            try await $0.run(statement)
        }
    }

    package func describe(_ statement: PostgresStatement) async throws -> [PostgresColumn] {
        try await withSession(statement.name, waitingAtMost: statement.timeout) { try await $0.describe(statement) }
    }

    /// Runs statements in a transaction.
    /// - Parameters:
    ///   - maximumWait: the maximum wait for a session.
    ///   - work: the statements. Must be safe to repeat: if the session is lost during the commit, its outcome is
    ///     unknown.
    package func transaction<Value: Sendable>(
        waitingAtMost maximumWait: Duration = .seconds(30),
        _ work: (any PostgresSessioning) async throws(PostgresError) -> Value
    ) async throws -> Value {
        try await withSession(waitingAtMost: maximumWait) { session in
            _ = try await session.run(PostgresStatement("BEGIN"))
            do {
                let value = try await work(session)
                _ = try await session.run(PostgresStatement("COMMIT"))
                return value
            } catch let error as PostgresError {
                guard !error.endsSession else { throw error }
                // lint: the error that caused the rollback is thrown
                guard (try? await session.run(PostgresStatement("ROLLBACK"))) != nil else {
                    throw FailedTransaction(error: error)
                }
                throw error
            }
        }
    }

    /// Closes the sessions that exceed the idle timeout.
    package func closeIdle() {
        let limit = now - configuration.idleTimeout
        let old = state.withLock { state in
            let old = state.idle.filter { $0.since <= limit }
            state.idle.removeAll { $0.since <= limit }
            return old
        }
        for idle in old { idle.session.close() }
        if !old.isEmpty { logger.debug("Unused sessions were closed", ["sessions": .int(old.count)]) }
    }

    /// Closes idle sessions now and the others when they become free. Later statements fail.
    package func close() {
        let (idle, waiting) = state.withLock { state in
            defer { (state.idle, state.waiting, state.isClosed) = ([], [], true) }
            return (state.idle, state.waiting)
        }
        for idle in idle { idle.session.close() }
        for waiting in waiting { waiting.set(.cancelled) }
    }

    /// Closes like ``close()``, and waits until no session is left.
    /// - Parameter span: the maximum wait.
    package func close(within span: Duration) async {
        close()
        let timer = Task { [self] in
            try await timeSource.sleep(for: span)
            ended.set(())
        }
        defer { timer.cancel() }
        if state.withLock({ $0.sessions > 0 }) { await ended.value }
    }

    // MARK: A session for a statement

    private func withSession<Value: Sendable>(
        _ name: String = "",
        waitingAtMost maximumWait: Duration,
        _ onSession: @Sendable (_ waitedFor: [String]) -> Void = { _ in },
        _ work: (any PostgresSessioning) async throws -> Value
    ) async throws -> Value {
        let (session, waitedFor) = try await acquire(maximumWait)
        state.withLock { $0.holders.append(name) }
        defer {
            state.withLock { state in
                if let index = state.holders.firstIndex(of: name) { state.holders.remove(at: index) }
            }
        }
        onSession(waitedFor)
        do {
            let value = try await work(session)
            await release(session)
            return value
        } catch let error as PostgresError {
            if error.endsSession { session.close() } else { await release(session) }
            throw error
        } catch let failed as FailedTransaction {
            session.close()
            throw failed.error
        }
    }

    /// The error of a transaction that could not be rolled back.
    private struct FailedTransaction: Error {
        let error: PostgresError
    }

    private func acquire(_ maximumWait: Duration) async throws -> (any PostgresSessioning, waitedFor: [String]) {
        let end = now + maximumWait
        var waitedFor: [String] = []
        while true {
            if Task.isCancelled { throw PostgresError(.cancelled, "the query was cancelled") }
            switch await turn(until: end, &waitedFor) {
            case .session(let session):
                guard await session.isLost() else { return (session, waitedFor) }
                session.close()
            case .slot: return (try await open(), waitedFor)
            case .tooLate:
                let holders = waitedFor.isEmpty ? "" : " with \(waitedFor.joined(separator: ", "))"
                throw PostgresError(
                    .busy,
                    "all \(configuration.maximumSessions) sessions of the database stayed busy\(holders); allow more of "
                        + "them with connection-pool, or query less often"
                )
            case .cancelled: throw PostgresError(.cancelled, "the query was cancelled")
            }
        }
    }

    /// A free session or slot, now or as soon as one is available.
    private func turn(until end: Duration, _ waitedFor: inout [String]) async -> Turn {
        let answer = FirstValue<Turn>()
        let (turn, holders): (Turn?, [String]) = state.withLock { state in
            if let turn = freeTurn(&state) { return (turn, []) }
            state.waiting.append(answer)
            return (nil, state.holders)
        }
        if let turn { return turn }
        waitedFor = Set(holders).subtracting([""]).sorted()
        let timer = Task { [self] in
            try await timeSource.sleep(until: end)
            answer.set(.tooLate)
        }
        defer {
            timer.cancel()
            state.withLock { $0.waiting.removeAll { $0 === answer } }
        }
        return await answer.value(ifCancelled: .cancelled)
    }

    /// A free session or slot; nil if all are busy.
    private func freeTurn(_ state: inout State) -> Turn? {
        if state.isClosed { return .cancelled }
        if let idle = state.idle.popLast() { return .session(idle.session) }
        guard state.sessions < configuration.maximumSessions else { return nil }
        state.sessions += 1
        return .slot
    }

    /// Opens a session in a counted slot.
    private func open() async throws -> any PostgresSessioning {
        let early: PostgresError? = state.withLock { state in
            guard let error = state.lastError, now < state.opensAt else { return nil }
            return error
        }
        if let early {
            slotIsFree()
            throw early
        }
        do {
            let session = try await connector.open { [weak self] in self?.slotIsFree() }
            let failures = state.withLock { state in
                defer { (state.isUp, state.failures, state.lastError) = (true, 0, nil) }
                return state.failures
            }
            logger.debug("A session was opened")
            if failures > 0 { logger.info("The database answers again", ["failed_attempts": .int(failures)]) }
            return session
        } catch let error as PostgresError {
            guard error.code != .cancelled else { throw error }
            state.withLock { state in
                state.isUp = false
                state.failures += 1
                state.lastError = error
                let doublings = min(state.failures - 1, 16)
                state.opensAt = now + min(configuration.longestPause, configuration.firstPause * (1 << doublings))
            }
            throw error
        }
    }

    private func release(_ session: any PostgresSessioning) async {
        // A session that is still in a transaction is not reused.
        guard await !session.isLost() else { return session.close() }
        let isKept = state.withLock { state in
            guard !state.isClosed else { return false }
            if !state.give(.session(session)) { state.idle.append(Idle(session: session, since: now)) }
            return true
        }
        if !isKept { session.close() }
    }

    /// Frees the slot of a session that was closed or could not be opened.
    private func slotIsFree() {
        let hasEnded = state.withLock { state in
            guard state.isClosed || !state.give(.slot) else { return false }
            state.sessions -= 1
            return state.isClosed && state.sessions == 0
        }
        if hasEnded { ended.set(()) }
    }
}
