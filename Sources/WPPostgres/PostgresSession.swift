// SPDX-License-Identifier: MIT

import CPostgres
import WPCore
import WPSockets

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Closes a descriptor; a name that no method shadows.
private func closeDescriptor(_ descriptor: Int32) {
    close(descriptor)
}

/// A libpq session with a non-blocking socket. All sessions share one thread, ``SocketPoller``.
///
/// libpq's blocking work, name lookups and file reads while connecting, runs on a separate thread.
actor PostgresSession: PostgresSessioning {
    /// A connection of libpq.
    final class Connection: @unchecked Sendable {
        // Unchecked because of the pointer, which only one call uses at a time: the actor waits for its thread.
        let pointer: OpaquePointer
        init(_ pointer: OpaquePointer) { self.pointer = pointer }
    }

    let library: PostgresLibrary
    private let scrubber: SecretScrubber
    private var slot: PostgresSlot?
    private var connection: Connection?
    private var currentTimeout: Duration?

    private var functions: cpostgres_functions { library.functions }

    init(_ library: PostgresLibrary, scrubber: SecretScrubber, slot: PostgresSlot) {
        (self.library, self.scrubber, self.slot) = (library, scrubber, slot)
    }

    // MARK: Opening

    private static func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await DetachedThread.run(named: "postgres-lookup", stackSize: 1 << 20, body)
    }

    /// Connects and prepares the session.
    /// - Throws: ``PostgresError``; call ``close()`` in that case as well.
    func connect(
        _ configuration: PostgresConnector,
        _ host: PostgresAddress.Host,
        _ deadline: Deadline
    ) async throws(PostgresError) {
        do throws(PostgresError) {
            try await openConnection(configuration, host, deadline)
            try await prepare(configuration, deadline)
        } catch {
            throw error.scrubbed(scrubber)
        }
    }

    private func openConnection(
        _ configuration: PostgresConnector,
        _ host: PostgresAddress.Host,
        _ deadline: Deadline
    ) async throws(PostgresError) {
        let library = library
        let parameters =
            configuration.address.connectionParameters(applicationName: configuration.applicationName)
            + host.parameters
        guard let connection = await Self.onOwnThread({ Self.start(library, parameters) }) else {
            throw PostgresError(.connect, "there is no memory for a session")
        }
        self.connection = connection
        guard functions.status(connection.pointer) != CONNECTION_BAD else { throw connectFault() }
        var events = POLLOUT
        var hasAsked = false
        while true {
            guard try await wait(Int32(events), until: deadline) else {
                throw PostgresError(.connect, "no connection within \(Self.seconds(configuration.hostTimeout))")
            }
            // After libpq has sent the startup message, errors come from the server.
            hasAsked = hasAsked || functions.status(connection.pointer) == CONNECTION_AWAITING_RESPONSE
            switch await Self.onOwnThread({ Self.pollConnection(library, connection) }) {
            case PGRES_POLLING_OK:
                guard functions.setnonblocking(connection.pointer, 1) == 0 else { throw connectFault() }
                return
            case PGRES_POLLING_READING: events = POLLIN
            case PGRES_POLLING_WRITING: events = POLLOUT
            default: throw connectFault(hasAsked ? .refused : .connect)
            }
        }
    }

    private static func start(
        _ library: PostgresLibrary,
        _ parameters: [(name: String, value: String)]
    ) -> Connection? {
        let keywords = parameters.map { strdup($0.name) }
        let values = parameters.map { strdup($0.value) }
        defer { for text in keywords + values { free(text) } }
        let names = keywords.map { UnsafePointer($0) } + [nil]
        // The last argument prevents expansion of the database name as a connection string.
        guard
            let started = library.functions.connectStartParams(names, values.map { UnsafePointer($0) } + [nil], 0)
        else { return nil }
        cpostgres_drop_notices([library.functions], started)
        return Connection(started)
    }

    private static func pollConnection(_ library: PostgresLibrary, _ connection: Connection)
        -> PostgresPollingStatusType
    {
        library.functions.connectPoll(connection.pointer)
    }

    /// Applies the session settings, and runs the configured statements.
    private func prepare(_ configuration: PostgresConnector, _ deadline: Deadline) async throws(PostgresError) {
        // With a statement, because connection poolers reject the parameter `options`.
        do throws(PostgresError) {
            let timeout = configuration.hostTimeout
            try await set(configuration.sessionSettings, timeout, deadline)
            if let connection, functions.serverVersion(connection.pointer) >= 140_000 {
                do throws(PostgresError) {
                    // The server cancels a statement when the client closes its socket. Not all systems support that.
                    try await set([("client_connection_check_interval", "500")], timeout, deadline)
                } catch {
                    guard error.code == .statement else { throw error }
                }
            }
            for statement in configuration.connectSQL {
                _ = try await execute(PostgresStatement(statement, timeout: timeout), deadline)
            }
            if !isUTF8 { try await set([("client_encoding", "UTF8")], timeout, deadline) }
        } catch {
            guard error.code != .cancelled else { throw error }
            throw PostgresError(
                [.connectionLost, .timeout].contains(error.code) ? .connect : .refused,
                "the session could not be prepared: \(error.message)",
                sqlState: error.sqlState
            )
        }
    }

    /// - Parameter timeout: the time that `deadline` allows, for the error.
    private func set(
        _ settings: [(name: String, value: String)],
        _ timeout: Duration,
        _ deadline: Deadline
    ) async throws(PostgresError) {
        let calls = settings.indices.map { "pg_catalog.set_config($\(2 * $0 + 1), $\(2 * $0 + 2), false)" }
        _ = try await execute(
            PostgresStatement(
                "SELECT " + calls.joined(separator: ", "),
                parameters: settings.flatMap { [.text($0.name), .text($0.value)] },
                timeout: timeout
            ),
            deadline
        )
    }

    private func connectFault(_ code: PostgresError.Code = .connect) -> PostgresError {
        PostgresError(code, errorText ?? "no session could be opened")
    }

    // MARK: Running

    func run(_ statement: PostgresStatement) async throws -> PostgresResult {
        do throws(PostgresError) {
            try await setTimeout(statement.timeout)
            return try await execute(statement, Deadline(after: statement.timeout + .milliseconds(500)))
        } catch {
            throw error.scrubbed(scrubber)
        }
    }

    func describe(_ statement: PostgresStatement) async throws -> [PostgresColumn] {
        do throws(PostgresError) {
            guard let pointer = connection?.pointer else { throw lostFault() }
            let deadline = Deadline(after: statement.timeout)
            let types = statement.parameters.map { Oid($0.typeID) }
            guard functions.sendPrepare(pointer, "", statement.text, Int32(types.count), types) == 1 else {
                throw lostFault()
            }
            _ = try await results(statement, deadline)
            guard functions.sendDescribePrepared(pointer, "") == 1 else { throw lostFault() }
            return try await results(statement, deadline).columns
        } catch {
            throw error.scrubbed(scrubber)
        }
    }

    /// Whether the session is unusable: closed by the server, in a transaction, with another encoding, or with a
    /// running statement.
    func isLost() async -> Bool {
        guard let pointer = connection?.pointer else { return true }
        // Unsolicited data means the end of the session.
        _ = functions.consumeInput(pointer)
        guard functions.status(pointer) == CONNECTION_OK, functions.transactionStatus(pointer) == PQTRANS_IDLE,
            isUTF8
        else { return true }
        var entry = pollfd(fd: functions.socket(pointer), events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, 0) != 0
    }

    /// Whether the server sends UTF-8, as the session requested.
    private var isUTF8: Bool {
        guard let connection, let text = functions.parameterStatus(connection.pointer, "client_encoding") else {
            return true
        }
        return strcmp(text, "UTF8") == 0
    }

    private func setTimeout(_ timeout: Duration) async throws(PostgresError) {
        guard timeout != currentTimeout else { return }
        let milliseconds = max(
            1,
            timeout.components.seconds * 1000 + timeout.components.attoseconds / 1_000_000_000_000_000
        )
        let deadline = Deadline(after: timeout + .milliseconds(500))
        try await set([("statement_timeout", String(milliseconds))], timeout, deadline)
        currentTimeout = timeout
    }

    private func execute(
        _ statement: PostgresStatement,
        _ deadline: Deadline
    ) async throws(PostgresError) -> PostgresResult {
        guard let pointer = connection?.pointer else { throw lostFault() }
        try send(statement, pointer)
        _ = functions.setSingleRowMode(pointer)
        return try await results(statement, deadline)
    }

    private func send(_ statement: PostgresStatement, _ pointer: OpaquePointer) throws(PostgresError) {
        let values = statement.parameters.map { parameter in parameter.text.map { strdup($0) } ?? nil }
        defer { for value in values { free(value) } }
        let sent = functions.sendQueryParams(
            pointer,
            statement.text,
            Int32(values.count),
            statement.parameters.map { Oid($0.typeID) },
            values.map { UnsafePointer($0) },
            nil,
            nil,
            statement.form == .binary ? 1 : 0
        )
        guard sent == 1 else { throw lostFault() }
    }

    /// Reads all results of a statement.
    private func results(
        _ statement: PostgresStatement,
        _ deadline: Deadline
    ) async throws(PostgresError) -> PostgresResult {
        guard let pointer = connection?.pointer else { throw lostFault() }
        var reading = ResultReading(statement)
        var queue = SocketQueue(functions.socket(pointer))
        while true {
            try await flush(pointer, statement, deadline)
            while functions.isBusy(pointer) == 1 {
                guard try await wait(POLLIN, until: deadline) else { throw Self.timeoutFault(statement) }
                // libpq buffers a whole row, of any size.
                try reading.receive(queue.arrived())
                guard functions.consumeInput(pointer) == 1 else { throw lostFault() }
            }
            guard let result = functions.getResult(pointer) else { return try reading.finish() }
            defer { functions.clear(result) }
            try reading.take(result, functions)
            if deadline.hasPassed { throw Self.timeoutFault(statement) }
            if Task.isCancelled { throw Self.cancelledFault }
        }
    }

    private func flush(
        _ pointer: OpaquePointer,
        _ statement: PostgresStatement,
        _ deadline: Deadline
    ) async throws(PostgresError) {
        while true {
            switch functions.flush(pointer) {
            case 0: return
            case 1:
                guard try await wait(POLLIN | POLLOUT, until: deadline) else { throw Self.timeoutFault(statement) }
                guard functions.consumeInput(pointer) == 1 else { throw lostFault() }
            default: throw lostFault()
            }
        }
    }

    /// Waits for the socket; false if the deadline has passed.
    private func wait(_ events: Int32, until deadline: Deadline) async throws(PostgresError) -> Bool {
        guard let connection else { throw lostFault() }
        switch await library.poller.wait(for: functions.socket(connection.pointer), events, until: deadline) {
        case .ready: return true
        case .elapsed: return false
        case .cancelled: throw Self.cancelledFault
        }
    }

    private func lostFault() -> PostgresError {
        PostgresError(.connectionLost, errorText ?? "the session was lost")
    }

    /// libpq's message about the last failure; nil if empty.
    private var errorText: String? {
        guard let connection, let text = functions.errorMessage(connection.pointer) else { return nil }
        let line = Self.oneLine(String(cString: text))
        return line.isEmpty ? nil : line
    }

    static let cancelledFault = PostgresError(.cancelled, "the query was cancelled")

    private static func timeoutFault(_ statement: PostgresStatement) -> PostgresError {
        PostgresError(.timeout, "the query did not end within \(seconds(statement.timeout)) and was cancelled")
    }

    // MARK: Ending

    /// How long closing waits for the server to cancel the statement.
    static let endTimeout = Duration.seconds(2)

    nonisolated func close() {
        Task { await finish() }
    }

    /// Closes the session, and waits until the backend closes its side too. This cancels a running statement; a cancel
    /// request would need another connection, which a hanging server does not answer.
    func finish() async {
        guard let connection else {
            slot = nil
            return
        }
        self.connection = nil
        let isOpen = functions.status(connection.pointer) == CONNECTION_OK
        let descriptor = isOpen ? fcntl(functions.socket(connection.pointer), F_DUPFD_CLOEXEC, 0) : -1
        functions.finish(connection.pointer)
        if descriptor >= 0 {
            shutdown(descriptor, Int32(SHUT_WR))
            await awaitEnd(descriptor)
            closeDescriptor(descriptor)
        }
        slot = nil
    }

    private func awaitEnd(_ descriptor: Int32) async {
        let deadline = Deadline(after: Self.endTimeout)
        var bytes = [UInt8](repeating: 0, count: 1 << 16)
        // A server that is sending a large result notices the closed socket.
        for _ in 0..<64 {
            guard case .ready = await library.poller.wait(for: descriptor, POLLIN, until: deadline) else { return }
            guard recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT)) > 0 else { return }
        }
    }

    static func seconds(_ duration: Duration) -> String {
        "\(Double(duration.components.seconds) + Double(duration.components.attoseconds) / 1e18) s"
    }

    static func oneLine(_ text: String) -> String {
        text.split(whereSeparator: \.isNewline).map { line in
            String(line.drop { $0 == " " || $0 == "\t" })
        }.joined(separator: "; ")
    }
}
