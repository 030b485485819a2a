// SPDX-License-Identifier: MIT

import WPCore
import WPSockets
import Synchronization
import WPHTTP

/// A connection: reads requests, calls the handler, and writes responses, in order.
///
/// Unchecked because it is used only on its loop's thread, on which its task runs.
final class HTTPConnection: @unchecked Sendable {
    private enum Phase {
        case reading
        /// Between requests: closing loses nothing.
        case idle
        case handling
    }

    /// How long a handler may continue after the peer has closed its sending side, because the peer may still read the
    /// response.
    private static let hungUpGrace = Duration.seconds(1)

    private let core: ServerCore
    private let stream: ConnectionStream
    private var phase = Phase.reading
    private var task: Task<Void, Never>?
    private var served = 0
    /// The context of the current request.
    private let context = HTTPRequestContext()
    /// The method of the current request, in case it is rejected: the response to HEAD has no content.
    private var currentMethod = HTTPMethod.get
    /// When it began to wait for a request, or for the rest of one; nil while a request is handled.
    private(set) var waitingSince: Duration?
    /// The deadline of the current request, including its body.
    private var requestDeadline = Duration.never

    init(_ channel: Channel, _ transport: any Transport, _ core: ServerCore) {
        self.core = core
        waitingSince = core.loop.now
        stream = ConnectionStream(
            channel,
            transport,
            core.loop,
            core.configuration.writeTimeout,
            readSize: core.configuration.maxPipelinedBytes
        )
    }

    var token: UInt64 { stream.channel.token }

    /// Starts the connection's task.
    func start() {
        // Cancel the handler of a lost connection.
        stream.channel.callbacks.onHangUp = { [unowned self] in
            if phase == .handling { scheduleCancellation() }
        }
        stream.channel.callbacks.onBreak = { [unowned self] in
            if phase == .handling { task?.cancel() }
        }
        task = core.loop.spawn { [self] in
            await serve()
            stream.channel.close()
            core.connectionEnded(self)
        }
    }

    /// Closes the connection after the current response.
    func drain() {
        if phase == .idle { stream.channel.interrupt() }
    }

    /// Closes a waiting connection without a response.
    func evict() {
        stream.channel.close()
    }

    /// Closes the connection immediately, and cancels its handler.
    func abort() {
        SocketOptions.resetOnClose(stream.channel.descriptor)
        stream.channel.close()
        task?.cancel()
    }

    private nonisolated(nonsending) func serve() async {
        do throws(ConnectionEnd) {
            try await handshake()
            while let head = try await nextHead() {
                served += 1
                guard try await exchange(head) else { break }
            }
            await stream.finish(isHurried: core.isDraining)
        } catch {
            switch error {
            case .lost: break
            case .handshake(let reason):
                core.handshakeFailed(reason, channel: stream.channel)
                // Unread input would otherwise reset the connection, and the TLS alert would be lost.
                await stream.finish(isHurried: core.isDraining)
            case .tooSlow: core.counters.update { $0.timeouts += 1 }
            case .rejected(let status, let code, let message): await reject(status, code, message)
            }
        }
    }

    private nonisolated(nonsending) func handshake() async throws(ConnectionEnd) {
        beginRequest()
        try await stream.handshake()
    }

    /// Starts the deadline of the next request.
    private func beginRequest() {
        requestDeadline = core.loop.now.advanced(by: core.configuration.readTimeout)
        stream.readDeadline = min(requestDeadline, core.loop.now.advanced(by: core.configuration.headerTimeout))
        stream.writeTimeout = core.configuration.writeTimeout
    }

    /// Waits for the next request's head; nil if there is none.
    private nonisolated(nonsending) func nextHead() async throws(ConnectionEnd) -> HTTPRequestHead? {
        await stream.yieldIfNeeded()
        if served > 0 { waitingSince = core.loop.now }
        let isFirst = served == 0
        if stream.input.isEmpty {
            stream.input.shrink()
            phase = .idle
            defer { phase = .reading }
            if core.isDraining {
                guard stream.receiveAvailable() else { return nil }
            } else {
                let idleDeadline = core.loop.now.advanced(by: core.configuration.idleTimeout)
                switch try await stream.receiveFirst(until: isFirst ? stream.readDeadline : idleDeadline) {
                case .bytes: break
                case .interrupted:
                    // A request may already have been sent when the server began to stop.
                    guard stream.receiveAvailable() else { return nil }
                case .ended, .timedOut: return nil
                }
            }
        }
        if !isFirst { beginRequest() }
        currentMethod = .get
        return try await readHead()
    }

    private nonisolated(nonsending) func readHead() async throws(ConnectionEnd) -> HTTPRequestHead {
        // Each attempt parses from the beginning, so wait for a line feed or twice the bytes. Otherwise a slow sender
        // would cost more CPU time than a fast one.
        var parseAt = 0
        var newBytes = stream.input.count
        while true {
            if stream.input.count >= parseAt || stream.input.hasLineFeed(inLast: newBytes) {
                if let head = try parseHead() { return head }
                parseAt = 2 * stream.input.count
            }
            let count = stream.input.count
            try await stream.receive()
            newBytes = stream.input.count - count
        }
    }

    private func parseHead() throws(ConnectionEnd) -> HTTPRequestHead? {
        do throws(HTTPWireError) {
            let limits = core.configuration.limits
            let parsed = try stream.input.withBytes { bytes throws(HTTPWireError) in
                try HTTPHeadParser.parseRequestHead(bytes, limits: limits)
            }
            guard let (head, length) = parsed else { return nil }
            stream.input.consume(length)
            return head
        } catch {
            throw .rejected(error)
        }
    }

    /// Serves one request.
    /// - Returns: whether another request may follow.
    private nonisolated(nonsending) func exchange(_ head: HTTPRequestHead) async throws(ConnectionEnd) -> Bool {
        currentMethod = head.method
        let body = try bodyReader(of: head)
        waitingSince = nil
        context.route.withLock { $0 = nil }
        context.arrival.store(stream.channel.takeTurn(), ordering: .relaxed)
        var request = HTTPRequest(method: head.method, target: head.target, headers: head.headers)
        request.context = context
        request.bodySource = body
        core.counters.update { $0.requests += 1 }
        let started = core.loop.timeSource.now.monotonic
        let response = try await respond(to: request, body)
        assert(core.loop.isCurrent, "A handler returned on another executor")
        guard stream.channel.isOpen else { throw .lost }
        let isBodyRead = body?.finish() ?? true
        let keeps =
            head.keepsAlive && isBodyRead && !core.isDraining
            && served < core.configuration.maxRequestsPerConnection
        let sent = await send(response, to: head, keepsConnection: keeps)
        let route = request.route ?? HTTPServer.Exchange.other
        core.exchangeEnded(request, route: route, sent: sent, since: started, channel: stream.channel)
        if let end = sent.end { throw end }
        return sent.keepsConnection
    }

    /// The reader of the body; nil without a body.
    private func bodyReader(of head: HTTPRequestHead) throws(ConnectionEnd) -> RequestBodyReader? {
        do throws(HTTPWireError) {
            let framing = try HTTPBodyFraming.request(head, limits: core.configuration.limits)
            let expectsContinue = try head.expectsContinue()
            guard framing != .none else { return nil }
            return RequestBodyReader(self, framing, expectsContinue: expectsContinue, loop: core.loop)
        } catch {
            throw .rejected(error)
        }
    }

    /// Reads a body for a waiting handler.
    nonisolated(nonsending) func readBody(
        _ framing: HTTPBodyFraming,
        expectsContinue: Bool,
        limit: Int
    ) async throws(ConnectionEnd) -> [UInt8] {
        phase = .reading
        waitingSince = core.loop.now
        defer {
            waitingSince = nil
            beginHandling()
        }
        stream.readDeadline = min(requestDeadline, core.loop.now.advanced(by: core.configuration.bodyTimeout))
        if expectsContinue, stream.input.isEmpty {
            try await stream.send(OutputBuffer(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)))
        }
        if case .length(let length) = framing { return try await stream.readBody(length: length) }
        var limits = core.configuration.limits
        limits.maxBodyBytes = min(limits.maxBodyBytes, limit)
        return try await stream.readChunkedBody(limits: limits)
    }

    /// Discards an unread body if all of it has arrived.
    /// - Returns: whether it was discarded.
    func dropArrivedBody(_ framing: HTTPBodyFraming) -> Bool {
        guard case .length(let length) = framing, length <= stream.input.count else { return false }
        stream.input.consume(length)
        return true
    }

    private func beginHandling() {
        phase = .handling
        if stream.channel.isBroken {
            task?.cancel()
        } else if stream.channel.isHungUp {
            scheduleCancellation()
        }
    }

    private func scheduleCancellation() {
        let number = served
        core.loop.schedule(after: Self.hungUpGrace) { [weak self] in
            guard let self, phase == .handling, served == number else { return }
            task?.cancel()
        }
    }

    private nonisolated(nonsending) func respond(
        to request: HTTPRequest,
        _ body: RequestBodyReader?
    ) async throws(ConnectionEnd) -> HTTPResponse {
        beginHandling()
        defer { phase = .reading }
        do {
            return try await core.handler.respond(to: request)
        } catch {
            // For example a body that is too large: the peer's error, not the handler's.
            if let end = body?.end { throw end }
            let isPeerGone = stream.channel.isHungUp || !stream.channel.isOpen
            core.handlerFailed(error, target: request.target, isPeerGone: isPeerGone)
            return core.internalError
        }
    }

    /// The outcome of a response.
    struct Sent {
        var status: HTTPStatus
        /// The bytes of the body; nil if it was streamed.
        var bodyBytes: Int?
        var keepsConnection = false
        /// Why the response failed.
        var end: ConnectionEnd?
    }

    private nonisolated(nonsending) func send(_ response: HTTPResponse, to head: HTTPRequestHead, keepsConnection: Bool)
        async -> Sent
    {
        var response = response
        let encoded: EncodedResponse
        do throws(HTTPWireError) {
            encoded = try ResponseEncoder.encode(
                response,
                to: head,
                keepsConnection: keepsConnection,
                date: core.date
            )
        } catch {
            core.responseUnusable(error, target: head.target)
            response = core.internalError
            return await send(response, to: head, keepsConnection: false)
        }
        var sent = Sent(status: response.status, keepsConnection: encoded.keepsConnection)
        do throws(ConnectionEnd) {
            switch encoded.body {
            case .parts(let parts):
                sent.bodyBytes = parts.reduce(0) { $0 + $1.count }
                try await stream.send(OutputBuffer([encoded.head] + parts))
            case .stream(let write, let isChunked):
                let writer = StreamedBodyWriter(stream, head: encoded.head, isChunked: isChunked)
                if let failure = await run(write, writer) {
                    core.handlerFailed(failure, target: head.target, isPeerGone: writer.end != nil)
                    guard !writer.hasSentHead, writer.end == nil else {
                        // Reset the connection, so that the truncated body does not look complete.
                        SocketOptions.resetOnClose(stream.channel.descriptor)
                        throw writer.end ?? .lost
                    }
                    return await send(core.internalError, to: head, keepsConnection: false)
                }
            }
        } catch {
            sent.end = error
        }
        return sent
    }

    private nonisolated(nonsending) func run(
        _ body: @Sendable (any HTTPBodyWriter) async throws -> Void,
        _ writer: StreamedBodyWriter
    ) async -> (any Error)? {
        beginHandling()
        defer { phase = .reading }
        do {
            try await body(writer)
            try await writer.finish()
            return nil
        } catch {
            writer.invalidate()
            return error
        }
    }

    /// Answers an invalid request, and closes so that the peer can read the answer.
    private nonisolated(nonsending) func reject(
        _ status: HTTPStatus,
        _ code: HTTPWireError.Code?,
        _ message: String
    ) async {
        waitingSince = nil
        core.requestRejected(status, code, channel: stream.channel)
        let response = core.render(HTTPProblem(status, "bad_request", message: message))
        guard let bytes = core.encode(response, answering: currentMethod) else { return }
        do throws(ConnectionEnd) {
            try await stream.send(OutputBuffer(bytes))
            await stream.finish(isHurried: core.isDraining)
        } catch {
            // The peer does not read the answer, so just close.
            return
        }
    }
}
