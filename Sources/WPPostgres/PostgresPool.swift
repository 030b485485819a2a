// SPDX-License-Identifier: MIT

import Synchronization
package import WPLogging

/// The sessions of one database: never more than its limit, whatever hangs. It is a database that opens sessions when
/// they are needed, keeps them for the next statement, and after a failure waits longer and longer before it tries again.
package final class PostgresPool: PostgresDatabase {
    /// How many sessions there may be, and how a pool behaves after failures.
    package struct Configuration: Sendable, Hashable {
        /// The maximum number of sessions, from 1; one that cannot be ended yet counts.
        package var maximumSessions: Int
        /// How long a session may be unused before ``PostgresPool/closeIdle()`` ends it, so that none stands in the way of
        /// DROP DATABASE.
        package var idleTimeout: Duration
        /// The pause after the first failure to open a session; it doubles with each further failure.
        package var firstPause: Duration
        /// The longest pause.
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

    /// What a pool has at one moment.
    package struct Statistics: Sendable, Hashable {
        /// Sessions that are open, being opened, or being ended.
        package var sessions = 0
        /// Those of them that run nothing.
        package var idle = 0
        /// Whether the last attempt to open a session succeeded; nil when there was none.
        package var isUp: Bool?

        package init(sessions: Int = 0, idle: Int = 0, isUp: Bool? = nil) {
            (self.sessions, self.idle, self.isUp) = (sessions, idle, isUp)
        }
    }

    private struct Idle {
        let session: any PostgresSessioning
        let since: Duration
    }

    private struct Waiting {
        let id: UInt64
        let continuation: CheckedContinuation<Turn, Never>
    }

    /// What somebody who waited for a session gets.
    private enum Turn: Sendable {
        case session(any PostgresSessioning)
        /// To open one; the place is already counted.
        case place
        case tooLate
        case cancelled
    }

    private struct State {
        var sessions = 0
        var idle: [Idle] = []
        var waiting: [Waiting] = []
        var nextID: UInt64 = 0
        var cancelled: Set<UInt64> = []
        /// The names of the statements that have sessions.
        var holders: [UInt64: String] = [:]
        var closing: [CheckedContinuation<Void, Never>] = []
        var isUp: Bool?
        var failures = 0
        var opensAt = Duration.zero
        var lastError: PostgresError?
        var isClosed = false
    }

    private let connector: any PostgresConnecting
    private let configuration: Configuration
    private let logger: Logger
    private let now: @Sendable () -> Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let state = Mutex(State())

    /// Creates a pool without sessions.
    package convenience init(
        _ connector: any PostgresConnecting,
        _ configuration: Configuration = Configuration(),
        logger: Logger = .silent
    ) {
        let start = ContinuousClock.now
        self.init(
            connector,
            configuration,
            logger: logger,
            now: { ContinuousClock.now - start },
            sleep: { try await Task.sleep(for: $0) }
        )
    }

    /// - Parameters:
    ///   - now: the time by a monotonic clock since an origin that stays the same.
    ///   - sleep: waits on that clock.
    package init(
        _ connector: any PostgresConnecting,
        _ configuration: Configuration,
        logger: Logger,
        now: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws -> Void
    ) {
        self.connector = connector
        self.configuration = configuration
        self.logger = logger
        self.now = now
        self.sleep = sleep
    }

    /// What the pool has now.
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

    /// Runs statements of one session all or not at all.
    /// - Parameters:
    ///   - patience: how long to wait for a session.
    ///   - work: the statements. It may be repeated by the caller after an error, of which it is not known whether the
    ///     server took the statements: a session may be lost while it does.
    package func transaction<Value: Sendable>(
        waitingAtMost patience: Duration = .seconds(30),
        _ work: (any PostgresSessioning) async throws(PostgresError) -> Value
    ) async throws -> Value {
        try await withSession(waitingAtMost: patience) { session in
            _ = try await session.run(PostgresStatement("BEGIN"))
            do {
                let value = try await work(session)
                _ = try await session.run(PostgresStatement("COMMIT"))
                return value
            } catch let error as PostgresError {
                guard !error.endsSession else { throw error }
                // One that can't be rolled back is not given to anybody else.
                guard (try? await session.run(PostgresStatement("ROLLBACK"))) != nil else {
                    throw FailedTransaction(error: error)
                }
                throw error
            }
        }
    }

    /// Ends the sessions that have been unused for longer than the configuration allows.
    package func closeIdle() {
        let limit = now() - configuration.idleTimeout
        let old = state.withLock { state in
            let old = state.idle.filter { $0.since <= limit }
            state.idle.removeAll { $0.since <= limit }
            return old
        }
        for idle in old { idle.session.close() }
        if !old.isEmpty { logger.debug("Unused sessions were closed", ["sessions": .int(old.count)]) }
    }

    /// Ends the unused sessions now and the others as they become free. Later statements fail.
    package func close() {
        let (idle, waiting) = state.withLock { state in
            defer { (state.idle, state.waiting, state.isClosed) = ([], [], true) }
            return (state.idle, state.waiting)
        }
        for idle in idle { idle.session.close() }
        for waiting in waiting { waiting.continuation.resume(returning: .cancelled) }
    }

    /// Ends as ``close()`` does, and waits until no session is left.
    /// - Parameter span: how long at most.
    package func close(within span: Duration) async {
        close()
        let timer = Task { [self] in
            try await sleep(span)
            finishClosing()
        }
        defer { timer.cancel() }
        await withCheckedContinuation { continuation in
            let isEmpty = state.withLock { state in
                if state.sessions > 0 { state.closing.append(continuation) }
                return state.sessions == 0
            }
            if isEmpty { continuation.resume() }
        }
    }

    private func finishClosing() {
        let closing = state.withLock { state in
            defer { state.closing = [] }
            return state.closing
        }
        for continuation in closing { continuation.resume() }
    }

    // MARK: A session for a statement

    private func withSession<Value: Sendable>(
        _ name: String = "",
        waitingAtMost patience: Duration,
        _ onSession: @Sendable (_ waitedFor: [String]) -> Void = { _ in },
        _ work: (any PostgresSessioning) async throws -> Value
    ) async throws -> Value {
        let (session, waitedFor) = try await acquire(patience)
        let id = state.withLock { state in
            state.nextID += 1
            state.holders[state.nextID] = name
            return state.nextID
        }
        defer { state.withLock { _ = $0.holders.removeValue(forKey: id) } }
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

    private func acquire(_ patience: Duration) async throws -> (any PostgresSessioning, waitedFor: [String]) {
        let end = now() + patience
        var waitedFor: [String] = []
        while true {
            if Task.isCancelled { throw PostgresError(.cancelled, "the query was cancelled") }
            switch await turn(until: end, &waitedFor) {
            case .session(let session):
                guard await session.isLost() else { return (session, waitedFor) }
                session.close()
            case .place: return (try await open(), waitedFor)
            case .tooLate:
                let holders = waitedFor.isEmpty ? "" : " with \(waitedFor.joined(separator: ", "))"
                throw PostgresError(
                    .busy,
                    "all \(configuration.maximumSessions) sessions of the database stayed busy\(holders); allow more of "
                        + "them by connection-pool, or query less often"
                )
            case .cancelled: throw PostgresError(.cancelled, "the query was cancelled")
            }
        }
    }

    /// A free session or a free place, at once or as soon as there is one.
    private func turn(until end: Duration, _ waitedFor: inout [String]) async -> Turn {
        if let turn = state.withLock({ freeTurn(&$0) }) { return turn }
        let (id, holders) = state.withLock { state in
            state.nextID += 1
            return (state.nextID, Set(state.holders.values).subtracting([""]))
        }
        waitedFor = holders.sorted()
        defer { state.withLock { _ = $0.cancelled.remove(id) } }
        let timer = Task { [self] in
            try await sleep(end - now())
            resume(id, with: .tooLate)
        }
        defer { timer.cancel() }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let turn: Turn? = state.withLock { state in
                    if state.cancelled.contains(id) { return .cancelled }
                    if let turn = freeTurn(&state) { return turn }
                    state.waiting.append(Waiting(id: id, continuation: continuation))
                    return nil
                }
                if let turn { continuation.resume(returning: turn) }
            }
        } onCancel: {
            resume(id, with: .cancelled, isCancellation: true)
        }
    }

    /// What needs no waiting; nil when everything is busy.
    private func freeTurn(_ state: inout State) -> Turn? {
        if state.isClosed { return .cancelled }
        if let idle = state.idle.popLast() { return .session(idle.session) }
        guard state.sessions < configuration.maximumSessions else { return nil }
        state.sessions += 1
        return .place
    }

    private func resume(_ id: UInt64, with turn: Turn, isCancellation: Bool = false) {
        let waiting: Waiting? = state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0.id == id }) else {
                if isCancellation { state.cancelled.insert(id) }
                return nil
            }
            return state.waiting.remove(at: index)
        }
        waiting?.continuation.resume(returning: turn)
    }

    /// Opens a session in a place that is counted already.
    private func open() async throws -> any PostgresSessioning {
        let early: PostgresError? = state.withLock { state in
            guard let error = state.lastError, now() < state.opensAt else { return nil }
            return error
        }
        if let early {
            placeIsFree()
            throw early
        }
        do {
            let session = try await connector.open { [weak self] in self?.placeIsFree() }
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
                state.opensAt = now() + min(configuration.longestPause, configuration.firstPause * (1 << doublings))
            }
            throw error
        }
    }

    private func release(_ session: any PostgresSessioning) async {
        // Nobody else gets the session of a statement that was BEGIN.
        guard await !session.isLost() else { return session.close() }
        enum Next { case close, keep, give(Waiting) }
        let next: Next = state.withLock { state in
            if state.isClosed { return .close }
            if !state.waiting.isEmpty { return .give(state.waiting.removeFirst()) }
            state.idle.append(Idle(session: session, since: now()))
            return .keep
        }
        switch next {
        case .close: session.close()
        case .keep: break
        case .give(let waiting): waiting.continuation.resume(returning: .session(session))
        }
    }

    /// A session has ended, or was not opened.
    private func placeIsFree() {
        let (waiting, isEmpty): (Waiting?, Bool) = state.withLock { state in
            guard !state.waiting.isEmpty, !state.isClosed else {
                state.sessions -= 1
                return (nil, state.sessions == 0)
            }
            return (state.waiting.removeFirst(), false)
        }
        waiting?.continuation.resume(returning: .place)
        if isEmpty { finishClosing() }
    }
}
