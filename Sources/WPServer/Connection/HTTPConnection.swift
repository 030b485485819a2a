// SPDX-License-Identifier: MIT

import WPHTTP

/// One connection: reads requests, has them handled, and writes the responses, in order.
///
/// Unchecked because it belongs to its loop's thread, on which its task runs.
final class HTTPConnection: @unchecked Sendable {
    private enum Phase {
        case reading
        /// Between requests: nothing is lost by closing.
        case idle
        case handling
    }

    /// How long a handler may work on after its peer has ended its sending. The peer may have left, or may only have
    /// said that it has no more requests: it gets some time for its response.
    private static let hungUpGrace = Duration.seconds(1)

    private let core: ServerCore
    private let stream: ConnectionStream
    private var phase = Phase.reading
    private var task: Task<Void, Never>?
    private var served = 0
    /// Its place among those that wait for their peers; theirs to keep.
    var waiting = WaitingConnections.Place()
    /// When the request being read must be complete, body and all.
    private var requestDeadline = LoopInstant.never

    init(_ channel: Channel, _ transport: any Transport, _ core: ServerCore) {
        self.core = core
        stream = ConnectionStream(channel, transport, core.loop, core.configuration)
    }

    var token: UInt64 { stream.channel.token }

    /// Starts the connection's task.
    func start() {
        // Whoever awaits something on behalf of a peer that is gone may stop.
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

    /// Ends the connection once it has answered what it is at.
    func drain() {
        if phase == .idle { stream.channel.interrupt() }
    }

    /// Ends the connection, which waits for its peer, without a word.
    func giveWay() {
        stream.channel.close()
    }

    /// Ends the connection now, and tells a handler to.
    func cut() {
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
                // What the peer has sent meanwhile would else reset the connection, and the alert that tells it why
                // would be lost.
                await stream.finish(isHurried: core.isDraining)
            case .tooSlow: core.counters.timeouts.count()
            case .refused(let status, let code, let message): await refuse(status, code, message)
            }
        }
    }

    private nonisolated(nonsending) func handshake() async throws(ConnectionEnd) {
        beginRequest()
        try await stream.handshake()
    }

    /// From now on time counts for the next request.
    private func beginRequest() {
        requestDeadline = core.loop.now.advanced(by: core.configuration.readTimeout)
        stream.readDeadline = min(requestDeadline, core.loop.now.advanced(by: core.configuration.headerTimeout))
    }

    /// Waits for the next request's head; nil when there is none to come.
    private nonisolated(nonsending) func nextHead() async throws(ConnectionEnd) -> RequestHeads.Known? {
        await stream.takeTurns()
        if served > 0 { core.waiting.add(self, now: core.loop.now) }
        let isFirst = served == 0
        if stream.input.isEmpty {
            stream.input.shrink()
            phase = .idle
            defer { phase = .reading }
            if core.isDraining {
                guard stream.receiveWhatIsThere() else { return nil }
            } else {
                let idleDeadline = core.loop.now.advanced(by: core.configuration.idleTimeout)
                switch try await stream.receiveFirst(until: isFirst ? stream.readDeadline : idleDeadline) {
                case .bytes: break
                case .interrupted:
                    // A request may have been on its way when the server began to stop.
                    guard stream.receiveWhatIsThere() else { return nil }
                case .ended, .timedOut: return nil
                }
            }
        }
        if !isFirst { beginRequest() }
        return try await readHead()
    }

    private nonisolated(nonsending) func readHead() async throws(ConnectionEnd) -> RequestHeads.Known {
        // Parsing starts over each time, so it waits for a line's end, or for twice as much as last time: a peer that
        // sends byte by byte costs no more than one that doesn't.
        var parseAt = 0
        var news = stream.input.count
        while true {
            if stream.input.count >= parseAt || stream.input.hasLineFeed(inLast: news) {
                if let head = try parseHead() { return head }
                parseAt = 2 * stream.input.count
            }
            news = try await stream.receive()
        }
    }

    private func parseHead() throws(ConnectionEnd) -> RequestHeads.Known? {
        do throws(HTTPWireError) {
            let heads = core.heads
            let parsed = try stream.input.withBytes { bytes throws(HTTPWireError) in try heads.parse(bytes) }
            guard let parsed else { return nil }
            stream.input.consume(parsed.length)
            return parsed
        } catch {
            throw .refused(error)
        }
    }

    /// Serves one request.
    /// - Returns: whether another may follow.
    private nonisolated(nonsending) func exchange(_ known: RequestHeads.Known) async throws(ConnectionEnd) -> Bool {
        let head = known.head
        let body = try await readBody(of: head)
        core.waiting.remove(self)
        var request = HTTPRequest(method: head.method, target: head.target, headers: head.headers, body: body)
        request.arrival = stream.channel.takeTurn()
        core.counters.requests.count()
        let started = LoopInstant.now
        let label = core.observer == nil ? "" : core.heads.label(of: request, known)
        let response = await respond(to: request)
        assert(core.loop.isCurrent, "A handler came back to another executor")
        guard stream.channel.isOpen else { throw .lost }
        let keeps = head.keepsAlive && !core.isDraining && served < core.configuration.maxRequestsPerConnection
        let sent = await send(response, to: head, keepsConnection: keeps)
        core.exchangeEnded(request, label: label, sent: sent, since: started, channel: stream.channel)
        if let end = sent.end { throw end }
        return sent.keepsConnection
    }

    private nonisolated(nonsending) func readBody(of head: HTTPRequestHead) async throws(ConnectionEnd) -> [UInt8] {
        let framing: HTTPBodyFraming
        let expectsContinue: Bool
        do throws(HTTPWireError) {
            framing = try HTTPBodyFraming.request(head, limits: core.configuration.limits)
            expectsContinue = try head.expectsContinue()
        } catch {
            throw .refused(error)
        }
        guard framing != .none else { return [] }
        stream.readDeadline = min(requestDeadline, core.loop.now.advanced(by: core.configuration.bodyTimeout))
        if expectsContinue, stream.input.isEmpty {
            try await stream.send(OutputBuffer(Array("HTTP/1.1 100 Continue\r\n\r\n".utf8)))
        }
        if case .length(let length) = framing { return try await stream.readBody(length: length) }
        return try await stream.readChunkedBody(limits: core.configuration.limits)
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

    private nonisolated(nonsending) func respond(to request: HTTPRequest) async -> HTTPResponse {
        beginHandling()
        defer { phase = .reading }
        do {
            return try await core.handler.respond(to: request)
        } catch {
            core.handlerFailed(error, request, isPeerGone: stream.channel.isHungUp || !stream.channel.isOpen)
            return .internalError
        }
    }

    /// What became of a response.
    struct Sent {
        var status: HTTPStatus
        /// The bytes of the body; nil when it was streamed.
        var bodyBytes: Int?
        var keepsConnection = false
        /// Why the response did not get through.
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
                date: core.date.current
            )
        } catch {
            core.responseUnusable(error, target: head.target)
            response = .internalError
            return await send(response, to: head, keepsConnection: false)
        }
        var sent = Sent(status: response.status, keepsConnection: encoded.keepsConnection)
        do throws(ConnectionEnd) {
            switch encoded.body {
            case .parts(let parts):
                sent.bodyBytes = parts.reduce(0) { $0 + $1.count }
                try await stream.send(OutputBuffer([encoded.head] + parts))
            case .chunked(let write), .untilClose(let write):
                let writer = StreamedBodyWriter(stream, head: encoded.head, isChunked: encoded.isChunked)
                if let failure = await run(write, writer) {
                    core.handlerFailed(failure, target: head.target, isPeerGone: writer.end != nil)
                    guard !writer.hasSentHead, writer.end == nil else {
                        // Without the end of the body, and with a reset, so that it can't pass for whole.
                        SocketOptions.resetOnClose(stream.channel.descriptor)
                        throw writer.end ?? .lost
                    }
                    return await send(.internalError, to: head, keepsConnection: false)
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

    /// Answers what can't be served, and closes in a way that lets the peer read the answer.
    private nonisolated(nonsending) func refuse(
        _ status: HTTPStatus,
        _ code: HTTPWireError.Code?,
        _ message: String
    ) async {
        core.waiting.remove(self)
        core.requestRefused(status, code, channel: stream.channel)
        let response = HTTPResponse.json("{\"error\":\(JSONText.quoted(message))}\n", status: status)
        let request = HTTPRequestHead(method: .get, target: "/")
        let encoded = try? ResponseEncoder.encode(
            response,
            to: request,
            keepsConnection: false,
            date: core.date.current
        )
        guard let encoded else { return }
        do throws(ConnectionEnd) {
            try await stream.send(OutputBuffer(encoded.head + response.bytes))
            await stream.finish(isHurried: core.isDraining)
        } catch {
            // The peer does not take the answer: closing is all that is left.
            return
        }
    }
}

extension EncodedResponse {
    var isChunked: Bool {
        if case .chunked = body { true } else { false }
    }
}

extension HTTPResponse {
    static let internalError = HTTPResponse.json("{\"error\":\"internal_error\"}\n", status: .internalServerError)
}
