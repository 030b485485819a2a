// SPDX-License-Identifier: MIT

import Synchronization
public import WPHTTP
public import WPLogging
package import WPSockets

/// An HTTP/1.1 server (RFC 9110, RFC 9112) made to be left on a network: strict about what it reads, and bounded in
/// connections, memory and time whatever its peers do.
///
/// One thread waits for all sockets and runs the handlers until they suspend; see ``HTTPHandler``.
public final class HTTPServer: Sendable {
    /// One request that was answered, for metrics.
    public struct Exchange: Sendable {
        /// The name of the route that answered, as ``HTTPRouter`` or ``WPHTTP/HTTPRequest/recordRoute(_:)`` recorded it;
        /// `other` when none did, or `malformed`. Never made from the request, so that it can be a label's value.
        public var route: String
        /// The status of the response.
        public var status: HTTPStatus
        /// From the whole request's arrival until the system had all of the response, or the peer was gone. Zero when
        /// the request was malformed.
        public var duration: Duration

        /// `malformed`: the route of what is not an acceptable request.
        package static let malformed = "malformed"
        /// `other`: the route of a request that no route was recorded for.
        static let other = "other"
    }

    /// Called on the server's thread after each request; must not block.
    public typealias Observer = @Sendable (Exchange) -> Void

    private enum State {
        case idle
        case bound([ListeningSocket])
        case running(port: Int?)
    }

    private let bounds: Mutex<Configuration>
    private let handler: any HTTPHandler
    private let logger: Logger
    private let observer: Observer?
    private let problems: HTTPProblem.Renderer
    private let counters = ServerCounters()
    private let clock: any MonotonicClock
    private let state = Mutex(State.idle)
    private let core = Mutex<ServerCore?>(nil)

    /// Creates a server that does not listen yet.
    /// - Parameters:
    ///   - configuration: what it listens on, and its bounds.
    ///   - handler: answers requests.
    ///   - logger: gets answered requests at debug, refused ones at info and failures, at a bounded rate.
    ///   - observer: called after each request.
    ///   - problems: makes the bodies of what the server itself answers: malformed requests, failed handlers, too many
    ///     connections.
    public convenience init(
        _ configuration: Configuration,
        handler: any HTTPHandler,
        logger: Logger = .silent,
        observer: Observer? = nil,
        problems: @escaping HTTPProblem.Renderer = HTTPProblem.plainText
    ) {
        self.init(
            configuration,
            handler: handler,
            logger: logger,
            clock: SystemMonotonicClock(),
            observer: observer,
            problems: problems
        )
    }

    /// Creates a server whose deadlines go by another clock.
    package init(
        _ configuration: Configuration,
        handler: any HTTPHandler,
        logger: Logger = .silent,
        clock: any MonotonicClock,
        observer: Observer? = nil,
        problems: @escaping HTTPProblem.Renderer = HTTPProblem.plainText
    ) {
        self.clock = clock
        bounds = Mutex(configuration)
        self.handler = handler
        self.logger = logger
        self.observer = observer
        self.problems = problems
    }

    /// The port that it listens on, the first one of several; nil before ``bind()``, after ``run()``, and for a socket
    /// that has none.
    public var port: Int? {
        state.withLock { state in
            switch state {
            case .idle: nil
            case .bound(let sockets): sockets.first?.port
            case .running(let port): port
            }
        }
    }

    /// What it listens on, and its bounds.
    package var configuration: Configuration { bounds.withLock { $0 } }

    /// Takes another configuration, while it serves too: timeouts and limits hold from the next request on,
    /// `Configuration.maxPipelinedBytes` and TLS from the next connection. Where it listens stays: host, port and backlog
    /// are left out.
    /// - Throws: when the configuration is wrong; nothing changes then.
    public func update(_ configuration: Configuration) throws(HTTPServerError) {
        try configuration.validate()
        let updated = bounds.withLock { bounds in
            var updated = configuration
            updated.host = bounds.host
            updated.port = bounds.port
            updated.backlog = bounds.backlog
            bounds = updated
            return updated
        }
        guard let core = core.withLock({ $0 }) else { return }
        core.loop.execute { core.update(updated) }
    }

    /// How promptly the server's thread gets to its work, measured now; nil when it does not serve.
    package func loopLag() async -> LoopLag? {
        guard let loop = core.withLock({ $0 })?.loop else { return nil }
        let clock = SystemMonotonicClock()
        let asked = clock.now
        return await withCheckedContinuation { continuation in
            loop.execute(
                {
                    continuation.resume(
                        returning: LoopLag(now: clock.now.since(asked), longest: loop.longestTurn)
                    )
                },
                orElse: { continuation.resume(returning: nil) }
            )
        }
    }

    /// What it has done so far.
    public var statistics: ServerStatistics {
        var statistics = counters.snapshot
        statistics.certificateEnd = (configuration.tls as? any DatedCertificate)?.certificateEnd
        return statistics
    }

    /// Listens, so that connections are made from now on and served once ``run()`` is called. Does nothing when it
    /// listens already.
    ///
    /// It blocks while the host's name is looked up; an address needs no look-up.
    /// - Throws: when the configuration is wrong, the server runs, or the address can't be had.
    public func bind() throws(HTTPServerError) {
        try configuration.validate()
        let isDone = try state.withLock { state throws(HTTPServerError) in
            switch state {
            case .idle: false
            case .bound: true
            case .running: throw .alreadyRunning
            }
        }
        guard !isDone else { return }
        try bind { () throws(HTTPServerError) in try openSockets() }
    }

    /// Listens on sockets that somebody else has made, as a service manager does (sd_listen_fds(3)), instead of on
    /// the configuration's host and port. The server owns them from then on.
    /// - Parameter descriptors: sockets that listen for streams, over IP or local ones. None: as ``bind()``.
    /// - Throws: when the configuration is wrong, the server listens already, or one is no listening socket.
    public func bind(to descriptors: [Int32]) throws(HTTPServerError) {
        guard !descriptors.isEmpty else { return try bind() }
        try bounds.withLock { $0 }.validate()
        let isIdle = state.withLock { if case .idle = $0 { true } else { false } }
        guard isIdle else { throw .alreadyRunning }
        try bind { () throws(HTTPServerError) in
            var sockets: [ListeningSocket] = []
            for descriptor in descriptors { sockets.append(try ListeningSocket.inherited(descriptor)) }
            return sockets
        }
    }

    private func bind(_ open: () throws(HTTPServerError) -> [ListeningSocket]) throws(HTTPServerError) {
        let sockets = try open()
        state.withLock { state in
            if case .idle = state { state = .bound(sockets) }
        }
    }

    /// Serves until the task is cancelled. Listens first, without blocking the caller, unless ``bind()`` did.
    ///
    /// Once cancelled it accepts nothing more, closes idle connections at once, lets requests in flight finish within
    /// ``Configuration/gracefulTimeout``, cancels and cuts those that don't, and returns.
    /// - Throws: ``HTTPServerError`` when it can't begin to serve.
    public func run() async throws {
        try await run(onListening: {})
    }

    /// ``run()``, which says when the server accepts connections.
    /// - Parameter onListening: is called once, on the server's thread, after "Listening" was logged; it must not block.
    ///   It is not called when the server can't begin to serve.
    /// - Throws: ``HTTPServerError`` when it can't begin to serve.
    package func run(onListening: @escaping @Sendable () -> Void) async throws {
        try bounds.withLock { $0 }.validate()
        let bound = try state.withLock { state throws(HTTPServerError) -> [ListeningSocket]? in
            switch state {
            case .idle:
                state = .running(port: nil)
                return nil
            case .bound(let sockets):
                state = .running(port: sockets.first?.port)
                return sockets
            case .running: throw .alreadyRunning
            }
        }
        defer { state.withLock { $0 = .idle } }
        do {
            let loop = try EventLoop(clock: clock)
            try loop.start()
            defer { loop.execute { loop.stop() } }
            try await serve(on: loop, bound, onListening)
        } catch let error as SystemCallError {
            throw HTTPServerError.cannotStart(error)
        }
    }

    private func serve(
        on loop: EventLoop,
        _ bound: [ListeningSocket]?,
        _ onListening: @escaping @Sendable () -> Void
    ) async throws {
        let configuration = bounds.withLock { $0 }
        let core = ServerCore(
            loop: loop,
            configuration: configuration,
            handler: handler,
            logger: logger,
            counters: counters,
            observer: observer,
            problems: problems
        )
        self.core.withLock { $0 = core }
        defer { self.core.withLock { $0 = nil } }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                loop.execute { [self] in
                    do {
                        // What may have been changed before the core could be found.
                        core.update(bounds.withLock { $0 })
                        let sockets = try bound ?? openSockets()
                        state.withLock { $0 = .running(port: sockets.first?.port) }
                        try core.start(sockets) { continuation.resume() }
                        for socket in sockets {
                            logger.info(
                                "Listening",
                                [
                                    "address": .string(socket.place), "tls": .bool(configuration.tls != nil),
                                    "inherited": .bool(socket.isInherited),
                                ]
                            )
                        }
                        onListening()
                    } catch {
                        continuation.resume(throwing: error)
                    }
                }
            }
        } onCancel: {
            loop.execute { core.stop() }
        }
    }

    private func openSockets() throws(HTTPServerError) -> [ListeningSocket] {
        let configuration = bounds.withLock { $0 }
        let first = HostPort(host: configuration.host, port: configuration.port)
        // Sockets that were opened before one that fails close themselves.
        var sockets: [ListeningSocket] = []
        for address in [first] + configuration.additionalAddresses {
            sockets.append(
                try ListeningSocket.open(host: address.host, port: address.port, backlog: configuration.backlog)
            )
        }
        return sockets
    }
}
