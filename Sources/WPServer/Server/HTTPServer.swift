// SPDX-License-Identifier: MIT

import Synchronization
public import WPCore
public import WPHTTP
public import WPLogging
import WPSockets

/// An HTTP/1.1 server (RFC 9110, RFC 9112) for untrusted networks, with strict parsing and limits on connections,
/// memory and time.
///
/// One thread polls all sockets and runs handlers until they suspend; see ``HTTPHandler``.
public final class HTTPServer: Sendable {
    /// An answered request, for metrics.
    public struct Exchange: Sendable {
        /// The name of the route that answered, recorded by ``HTTPRouter`` or ``WPHTTP/HTTPRequest/recordRoute(_:)``;
        /// `other` if none was recorded, or `malformed`. Always a constant, so that it can be a label value.
        public var route: String
        /// The status of the response.
        public var status: HTTPStatus
        /// The time from the end of the request's head until the response was handed to the system, or the peer
        /// disconnected. Zero for a malformed request.
        public var duration: Duration

        /// `malformed`: the route of invalid requests.
        package static let malformed = "malformed"
        /// `other`: the route of requests without a recorded route.
        static let other = "other"
    }

    /// Called on the server's thread after each request; must not block.
    public typealias Observer = @Sendable (Exchange) -> Void

    private enum State {
        case idle
        case bound([ListeningSocket])
        case running(port: Int?)
    }

    private let currentConfiguration: Mutex<Configuration>
    private let handler: any HTTPHandler
    private let logger: Logger
    private let observer: Observer?
    private let problems: HTTPProblem.Renderer
    private let counters = Counters(ServerStatistics())
    private let timeSource: any TimeSource
    private let state = Mutex(State.idle)
    private let core = Mutex<ServerCore?>(nil)

    /// Creates a server without binding it.
    /// - Parameters:
    ///   - configuration: its addresses and limits.
    ///   - handler: answers requests.
    ///   - logger: logs answered requests at debug level, and, at a limited rate, rejected requests and failures.
    ///   - timeSource: the clock for its timeouts and the Date header. While it is stopped, nothing times out, not even
    ///     ``Configuration/gracefulTimeout``.
    ///   - observer: called after each request.
    ///   - problems: creates the server's own responses: to malformed requests, after failed handlers, and for too many
    ///     connections.
    public init(
        _ configuration: Configuration,
        handler: any HTTPHandler,
        logger: Logger = .silent,
        timeSource: any TimeSource = .system,
        observer: Observer? = nil,
        problems: @escaping HTTPProblem.Renderer = HTTPProblem.plainText
    ) {
        self.timeSource = timeSource
        currentConfiguration = Mutex(configuration)
        self.handler = handler
        self.logger = logger
        self.observer = observer
        self.problems = problems
    }

    /// The first port that it listens on; nil before ``bind()``, after ``run()``, and for a socket without a port.
    public var port: Int? {
        state.withLock { state in
            switch state {
            case .idle: nil
            case .bound(let sockets): sockets.first?.port
            case .running(let port): port
            }
        }
    }

    /// Its addresses and limits.
    package var configuration: Configuration { currentConfiguration.withLock { $0 } }

    /// Changes the configuration, even while serving: timeouts and limits apply from the next request,
    /// `Configuration.maxPipelinedBytes` and TLS from the next connection. Host, port and backlog do not change.
    /// - Throws: if the configuration is invalid; in that case nothing changes.
    public func update(_ configuration: Configuration) throws(HTTPServerError) {
        try configuration.validate()
        let updated = currentConfiguration.withLock { current in
            var updated = configuration
            updated.host = current.host
            updated.port = current.port
            updated.backlog = current.backlog
            current = updated
            return updated
        }
        guard let core = core.withLock({ $0 }) else { return }
        core.loop.execute { core.configuration = updated }
    }

    /// The current latency of the server's thread; nil if it is not serving.
    package func loopLag() async -> LoopLag? {
        guard let loop = core.withLock({ $0 })?.loop else { return nil }
        let asked = timeSource.now
        return await withCheckedContinuation { continuation in
            loop.execute(
                {
                    continuation.resume(
                        returning: LoopLag(now: loop.timeSource.now.since(asked), longest: loop.longestTurn)
                    )
                },
                orElse: { continuation.resume(returning: nil) }
            )
        }
    }

    /// Its statistics.
    public var statistics: ServerStatistics {
        var statistics = counters.snapshot
        statistics.certificateEnd = (configuration.tls as? any DatedCertificate)?.certificateEnd
        return statistics
    }

    /// Binds and listens; ``run()`` serves the connections. Does nothing if already listening.
    ///
    /// Blocks during a name lookup; a numeric address needs none.
    /// - Throws: if the configuration is invalid, the server is running, or the address is unavailable.
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

    /// Listens on inherited sockets, such as those of a service manager (sd_listen_fds(3)), instead of the configured
    /// host and port. The server then owns them.
    /// - Parameter descriptors: listening stream sockets, IP or local. If empty, the same as ``bind()``.
    /// - Throws: if the configuration is invalid, the server is already listening, or a descriptor is not a listening
    ///   socket.
    public func bind(to descriptors: [Int32]) throws(HTTPServerError) {
        guard !descriptors.isEmpty else { return try bind() }
        try currentConfiguration.withLock { $0 }.validate()
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

    /// Serves until the task is cancelled. Listens first, without blocking the caller, unless ``bind()`` has done so.
    ///
    /// On cancellation it stops accepting, closes idle connections, lets requests in flight finish within
    /// ``Configuration/gracefulTimeout``, cancels the rest, and returns.
    /// - Throws: ``HTTPServerError`` if it cannot start.
    public func run() async throws {
        try await run(onListening: {})
    }

    /// Like ``run()``, with a callback for when the server accepts connections.
    /// - Parameter onListening: called once, on the server's thread, after "Listening" has been logged; must not block.
    ///   Not called if the server cannot start.
    /// - Throws: ``HTTPServerError`` if it cannot start.
    package func run(onListening: @escaping @Sendable () -> Void) async throws {
        try currentConfiguration.withLock { $0 }.validate()
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
            let loop = try EventLoop(timeSource: timeSource)
            try loop.start(named: "http-server")
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
        let configuration = currentConfiguration.withLock { $0 }
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
                        // The configuration may have changed before the core was created.
                        core.configuration = currentConfiguration.withLock { $0 }
                        let sockets = try bound ?? openSockets()
                        state.withLock { $0 = .running(port: sockets.first?.port) }
                        try core.start(sockets) { continuation.resume() }
                        for socket in sockets {
                            logger.info(
                                "Listening",
                                [
                                    "address": .string(socket.address), "tls": .bool(configuration.tls != nil),
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
        let configuration = currentConfiguration.withLock { $0 }
        let first = HostPort(host: configuration.host, port: configuration.port)
        // Sockets opened before a failure close themselves.
        var sockets: [ListeningSocket] = []
        for address in [first] + configuration.additionalAddresses {
            sockets.append(
                try ListeningSocket.open(host: address.host, port: address.port, backlog: configuration.backlog)
            )
        }
        return sockets
    }
}
