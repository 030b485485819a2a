// SPDX-License-Identifier: MIT

import CPostgres
import Dispatch
import Synchronization
import WPSockets

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A session of libpq. Its calls block a thread of its own, never one that runs tasks.
final class PostgresSession: PostgresSessioning, @unchecked Sendable {
    // Unchecked because of `connection` and `currentTimeout`, which only `queue` touches.
    private let library: PostgresLibrary
    private let scrubber: SecretScrubber
    private let waiter: SocketWaiter
    private let queue = DispatchQueue(label: "postgres-session")
    private let isCancelled = Mutex(false)
    private let onEnd: @Sendable () -> Void
    private var connection: OpaquePointer?
    private var currentTimeout: Duration?

    private var functions: cpostgres_functions { library.functions }

    private init(
        _ library: PostgresLibrary,
        _ scrubber: SecretScrubber,
        onEnd: @escaping @Sendable () -> Void
    ) throws(PostgresError) {
        self.library = library
        self.scrubber = scrubber
        self.onEnd = onEnd
        do throws(SocketFault) {
            waiter = try SocketWaiter()
        } catch {
            throw PostgresError(.connect, "no session can be opened: \(error)")
        }
    }

    // MARK: Opening

    static func open(
        _ configuration: PostgresConnector,
        onEnd: @escaping @Sendable () -> Void
    ) async throws(PostgresError) -> PostgresSession {
        let session: PostgresSession
        do throws(PostgresError) {
            session = try PostgresSession(configuration.library, configuration.address.scrubber, onEnd: onEnd)
        } catch {
            onEnd()
            throw error
        }
        let timeout = configuration.connectTimeout
        // A look-up of a name inside of libpq has no deadline; the thread is left to it.
        let late = PostgresError(.connect, "no connection within \(seconds(timeout)): the host's name may not resolve")
        let result: Result<Void, PostgresError> = await session.perform(giveUpAfter: timeout + .seconds(1), late) {
            (session: PostgresSession) throws(PostgresError) in
            try session.connect(configuration, Deadline(after: timeout))
        }
        if case .failure(let error) = result {
            session.close()
            throw error
        }
        return session
    }

    private func connect(_ configuration: PostgresConnector, _ deadline: Deadline) throws(PostgresError) {
        let parameters = configuration.address.connectionParameters(applicationName: configuration.applicationName)
        let keywords = parameters.map { strdup($0.name) }
        let values = parameters.map { strdup($0.value) }
        defer { for text in keywords + values { free(text) } }
        let names = keywords.map { UnsafePointer($0) } + [nil]
        guard let started = functions.connectStartParams(names, values.map { UnsafePointer($0) } + [nil], 1) else {
            throw PostgresError(.connect, "there is no memory for a session")
        }
        connection = started
        cpostgres_drop_notices([functions], started)
        guard functions.status(started) != CONNECTION_BAD else { throw connectFault() }
        var events = Int32(POLLOUT)
        var hasAsked = false
        while true {
            guard try wait(events, until: deadline) else {
                throw PostgresError(.connect, "no connection within \(Self.seconds(configuration.connectTimeout))")
            }
            // libpq sends what asks for a session and then waits for the answer: whatever fails after that, the server said.
            hasAsked = hasAsked || functions.status(started) == CONNECTION_AWAITING_RESPONSE
            switch functions.connectPoll(started) {
            case PGRES_POLLING_OK:
                guard functions.setnonblocking(started, 1) == 0 else { throw connectFault() }
                try prepare(configuration, deadline)
                return
            case PGRES_POLLING_READING: events = Int32(POLLIN)
            case PGRES_POLLING_WRITING: events = Int32(POLLOUT)
            default: throw connectFault(hasAsked ? .refused : .connect)
            }
        }
    }

    /// Sets what every session has, and runs the statements that the configuration asks for.
    private func prepare(_ configuration: PostgresConnector, _ deadline: Deadline) throws(PostgresError) {
        // By a statement and not by the parameter `options`, which poolers refuse.
        let settings = configuration.sessionSettings
        let calls = settings.indices.map { "pg_catalog.set_config($\(2 * $0 + 1), $\(2 * $0 + 2), false)" }
        do throws(PostgresError) {
            _ = try execute(
                PostgresStatement(
                    "SELECT " + calls.joined(separator: ", "),
                    parameters: settings.flatMap { [.text($0.name), .text($0.value)] }
                ),
                deadline
            )
            for statement in configuration.connectSQL { _ = try execute(PostgresStatement(statement), deadline) }
        } catch {
            guard error.code != .cancelled else { throw error }
            throw PostgresError(
                [.connectionLost, .timeout].contains(error.code) ? .connect : .refused,
                "the session could not be prepared: \(error.message)",
                sqlState: error.sqlState
            )
        }
    }

    private func connectFault(_ code: PostgresError.Code = .connect) -> PostgresError {
        PostgresError(code, errorText ?? "no session could be opened")
    }

    // MARK: Running

    func run(_ statement: PostgresStatement) async throws -> PostgresResult {
        try await perform { (session: PostgresSession) throws(PostgresError) in
            try session.setTimeout(statement.timeout)
            return try session.execute(statement, Deadline(after: statement.timeout + .milliseconds(500)))
        }.get()
    }

    func describe(_ statement: PostgresStatement) async throws -> [PostgresColumn] {
        try await perform { (session: PostgresSession) throws(PostgresError) in
            let deadline = Deadline(after: statement.timeout)
            let types = statement.parameters.map { Oid($0.typeID) }
            guard
                session.functions.sendPrepare(session.connection, "", statement.text, Int32(types.count), types) == 1
            else { throw session.lostFault() }
            _ = try session.results(statement, deadline)
            guard session.functions.sendDescribePrepared(session.connection, "") == 1 else { throw session.lostFault() }
            return try session.results(statement, deadline).columns
        }.get()
    }

    func isLost() async -> Bool {
        let result: Result<Bool, PostgresError> = await perform { (session: PostgresSession) throws(PostgresError) in
            guard let connection = session.connection else { return true }
            // What comes without having been asked for is the end, or a word about it.
            _ = session.functions.consumeInput(connection)
            guard session.functions.status(connection) == CONNECTION_OK else { return true }
            var entry = pollfd(fd: session.functions.socket(connection), events: Int16(POLLIN), revents: 0)
            return poll(&entry, 1, 0) != 0
        }
        return (try? result.get()) ?? true
    }

    private func setTimeout(_ timeout: Duration) throws(PostgresError) {
        guard timeout != currentTimeout else { return }
        let milliseconds = max(
            1,
            timeout.components.seconds * 1000 + timeout.components.attoseconds / 1_000_000_000_000_000
        )
        _ = try execute(
            PostgresStatement(
                "SELECT pg_catalog.set_config('statement_timeout', $1, false)",
                parameters: [.text(String(milliseconds))]
            ),
            Deadline(after: timeout + .milliseconds(500))
        )
        currentTimeout = timeout
    }

    private func execute(_ statement: PostgresStatement, _ deadline: Deadline) throws(PostgresError) -> PostgresResult {
        guard let connection else { throw lostFault() }
        let values = statement.parameters.map { parameter in parameter.text.map { strdup($0) } ?? nil }
        defer { for value in values { free(value) } }
        let sent = functions.sendQueryParams(
            connection,
            statement.text,
            Int32(values.count),
            statement.parameters.map { Oid($0.typeID) },
            values.map { UnsafePointer($0) },
            nil,
            nil,
            statement.form == .binary ? 1 : 0
        )
        guard sent == 1 else { throw lostFault() }
        _ = functions.setSingleRowMode(connection)
        return try results(statement, deadline)
    }

    /// Reads all that a statement gives, until libpq says that there is no more.
    private func results(_ statement: PostgresStatement, _ deadline: Deadline) throws(PostgresError) -> PostgresResult {
        guard let connection else { throw lostFault() }
        var reading = ResultReading(statement)
        do throws(PostgresError) {
            while true {
                try flush(connection, statement, deadline)
                while functions.isBusy(connection) == 1 {
                    guard try wait(Int32(POLLIN), until: deadline) else { throw Self.timeoutFault(statement) }
                    guard functions.consumeInput(connection) == 1 else { throw lostFault() }
                }
                guard let result = functions.getResult(connection) else { return try reading.finish() }
                defer { functions.clear(result) }
                try reading.take(result, functions)
                if deadline.hasPassed { throw Self.timeoutFault(statement) }
            }
        } catch {
            if [.timeout, .cancelled, .limit].contains(error.code) { cancelOnServer(connection) }
            throw error
        }
    }

    private func flush(
        _ connection: OpaquePointer,
        _ statement: PostgresStatement,
        _ deadline: Deadline
    ) throws(PostgresError) {
        while true {
            switch functions.flush(connection) {
            case 0: return
            case 1:
                guard try wait(Int32(POLLIN | POLLOUT), until: deadline) else { throw Self.timeoutFault(statement) }
                guard functions.consumeInput(connection) == 1 else { throw lostFault() }
            default: throw lostFault()
            }
        }
    }

    /// Waits for the socket; false when the deadline has passed.
    private func wait(_ events: Int32, until deadline: Deadline) throws(PostgresError) -> Bool {
        while true {
            try checkCancelled()
            switch waiter.wait(for: functions.socket(connection), events, until: deadline) {
            case .ready: return true
            case .elapsed: return false
            case .woken: continue
            }
        }
    }

    private func checkCancelled() throws(PostgresError) {
        if isCancelled.withLock({ $0 }) { throw PostgresError(.cancelled, "the query was cancelled") }
    }

    private func lostFault() -> PostgresError {
        PostgresError(.connectionLost, errorText ?? "the session was lost")
    }

    /// What libpq says of the last failure; nil when it says nothing.
    private var errorText: String? {
        guard let connection, let text = functions.errorMessage(connection) else { return nil }
        let line = Self.oneLine(String(cString: text))
        return line.isEmpty ? nil : line
    }

    private static func timeoutFault(_ statement: PostgresStatement) -> PostgresError {
        PostgresError(.timeout, "the query did not end within \(seconds(statement.timeout)) and was cancelled")
    }

    // MARK: Ending

    /// Asks the server to end the statement in flight. libpq's call opens a connection of its own and blocks, so it has
    /// a thread and a second; after that the session is closed anyway.
    private func cancelOnServer(_ connection: OpaquePointer) {
        guard let request = CancelRequest(functions.getCancel(connection), library) else { return }
        let isDone = DispatchSemaphore(value: 0)
        DispatchQueue(label: "postgres-cancel").async { @Sendable in
            request.send()
            isDone.signal()
        }
        guard isDone.wait(timeout: .now() + .seconds(1)) == .success else { return }
        // The server's answer shows that the statement has ended; the rows before it are dropped.
        let deadline = Deadline(after: .seconds(1))
        while true {
            while functions.isBusy(connection) == 1 {
                guard waiter.wait(for: functions.socket(connection), Int32(POLLIN), until: deadline) != .elapsed,
                    !deadline.hasPassed, functions.consumeInput(connection) == 1
                else { return }
            }
            guard let result = functions.getResult(connection) else { return }
            functions.clear(result)
        }
    }

    func close() {
        queue.async { [self] in
            if let connection { functions.finish(connection) }
            connection = nil
            onEnd()
        }
    }

    // MARK: The thread

    /// Runs work on the session's thread. When the task is cancelled, the work's waits end.
    /// - Parameters:
    ///   - span: how long to wait for work that may hang in a call without a deadline; nil for as long as it takes.
    ///   - late: what to throw then.
    private func perform<Value: Sendable>(
        giveUpAfter span: Duration? = nil,
        _ late: PostgresError? = nil,
        _ work: @escaping @Sendable (PostgresSession) throws(PostgresError) -> Value
    ) async -> Result<Value, PostgresError> {
        await withTaskCancellationHandler {
            await withCheckedContinuation { (continuation: CheckedContinuation<Result<Value, PostgresError>, Never>) in
                let answer = Once(continuation)
                queue.async { [self] in
                    do throws(PostgresError) {
                        answer.resume(.success(try work(self)))
                    } catch {
                        answer.resume(.failure(error.scrubbed(scrubber)))
                    }
                }
                guard let span, let late else { return }
                let nanoseconds =
                    Int(span.components.seconds) * 1_000_000_000 + Int(span.components.attoseconds / 1_000_000_000)
                DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(nanoseconds)) { @Sendable in
                    answer.resume(.failure(late))
                }
            }
        } onCancel: {
            isCancelled.withLock { $0 = true }
            waiter.wake()
        }
    }

    /// A continuation that the first of several resumes.
    private final class Once<Value: Sendable>: Sendable {
        private let continuation: Mutex<CheckedContinuation<Value, Never>?>

        init(_ continuation: CheckedContinuation<Value, Never>) {
            self.continuation = Mutex(continuation)
        }

        func resume(_ value: Value) {
            continuation.withLock { continuation in
                defer { continuation = nil }
                return continuation
            }?.resume(returning: value)
        }
    }

    /// A request to cancel, which may be sent from any thread.
    private final class CancelRequest: @unchecked Sendable {
        private let request: OpaquePointer
        private let library: PostgresLibrary

        init?(_ request: OpaquePointer?, _ library: PostgresLibrary) {
            guard let request else { return nil }
            self.request = request
            self.library = library
        }

        func send() {
            var text = [CChar](repeating: 0, count: 256)
            _ = library.functions.cancel(request, &text, Int32(text.count))
        }

        deinit { library.functions.freeCancel(request) }
    }

    private static func seconds(_ duration: Duration) -> String {
        "\(Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18) s"
    }

    static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).map { line in
            String(line.drop { $0 == " " || $0 == "\t" })
        }.joined(separator: "; ")
    }
}
