// SPDX-License-Identifier: MIT

import WPCore
import WPSockets
import WPHTTP
import WPLogging

/// The shared state of a running server's connections, and their admission.
///
/// Unchecked because it is used only on the loop's thread, including ``start(_:onEnd:)`` and ``stop()``.
final class ServerCore: @unchecked Sendable {
    /// The maximum number of rejected connections that are being answered; further ones are just closed.
    private static let maxRejections = 64

    let loop: EventLoop
    /// A change applies to later waits.
    var configuration: HTTPServer.Configuration {
        didSet { maxConnections = Self.maxConnections(configuration) }
    }
    /// The maximum number of connections: as configured, or fewer if the process lacks descriptors.
    private(set) var maxConnections: Int
    let handler: any HTTPHandler
    let logger: Logger
    let counters: Counters<ServerStatistics>
    let observer: HTTPServer.Observer?
    let render: HTTPProblem.Renderer
    private let dateField = DateField()
    private(set) var isDraining = false

    private lazy var acceptor = Acceptor(
        loop: loop,
        serve: { [unowned self] in admit($0) },
        makeRoom: { [unowned self] in makeRoom() },
        report: { [unowned self] in acceptFailed($0, connections: connections.count) }
    )
    private var connections: [UInt64: HTTPConnection] = [:]
    private var rejections = 0
    private var onEnd: (() -> Void)?
    private var limitedLog: LimitedLog

    init(
        loop: EventLoop,
        configuration: HTTPServer.Configuration,
        handler: any HTTPHandler,
        logger: Logger,
        counters: Counters<ServerStatistics>,
        observer: HTTPServer.Observer?,
        problems: @escaping HTTPProblem.Renderer
    ) {
        self.loop = loop
        self.configuration = configuration
        maxConnections = Self.maxConnections(configuration)
        self.handler = handler
        self.logger = logger
        self.counters = counters
        self.observer = observer
        render = problems
        limitedLog = LimitedLog(logger)
    }

    /// The value of the Date header.
    var date: String { dateField.text(at: loop.time.secondsSince1970) }

    private static func maxConnections(_ configuration: HTTPServer.Configuration) -> Int {
        guard let limit = configuration.openFileLimit() else { return configuration.maxConnections }
        return min(configuration.maxConnections, max(1, limit - configuration.descriptorReserve))
    }

    /// Starts accepting connections.
    /// - Parameter onEnd: called once, when the last connection has ended after ``stop()``.
    func start(_ sockets: [ListeningSocket], onEnd: @escaping () -> Void) throws(SystemCallError) {
        try acceptor.listen(on: sockets)
        self.onEnd = onEnd
        if maxConnections < configuration.maxConnections {
            logger.warn(
                "Fewer connections are served than configured, because the limit on open files is too low",
                [
                    "max_connections": .int(configuration.maxConnections), "served": .int(maxConnections),
                    "reserve": .int(configuration.descriptorReserve),
                ]
            )
        }
        if isDraining { drain() }
    }

    /// Stops accepting, lets requests in flight finish within the graceful timeout, then cancels the rest.
    func stop() {
        guard !isDraining else { return }
        isDraining = true
        if onEnd != nil { drain() }
    }

    private func drain() {
        // Peers in the system's queue may already have sent a request; Darwin queues half as many again as the backlog.
        acceptor.close(accepting: 2 * min(configuration.backlog, 1 << 20))
        logger.info("Stopping", ["connections": .int(connections.count)])
        for connection in connections.values { connection.drain() }
        if connections.isEmpty {
            end()
        } else {
            loop.schedule(after: configuration.gracefulTimeout) { [self] in abortAll() }
        }
    }

    private func abortAll() {
        guard !connections.isEmpty else { return }
        logger.warn(
            "Requests still in flight were cancelled at the end of the graceful timeout",
            ["connections": .int(connections.count)]
        )
        for connection in connections.values { connection.abort() }
        // A handler that ignores cancellation keeps its task and the loop's thread alive, but not the server.
        counters.update { $0.openConnections -= connections.count }
        connections = [:]
        end()
    }

    private func end() {
        onEnd?()
        onEnd = nil
    }

    /// Serves a connection, or rejects it if there are too many.
    func admit(_ descriptor: Int32) {
        let channel: Channel
        do throws(SystemCallError) {
            channel = try loop.open(descriptor)
        } catch {
            registrationFailed(error)
            return
        }
        guard connections.count < maxConnections || makeRoom() else {
            reject(channel)
            return
        }
        SocketOptions.disableDelay(descriptor)
        SocketOptions.limitUnsent(descriptor)
        let transport: any Transport =
            if let tls = configuration.tls {
                TLSTransport(tls, descriptor: descriptor)
            } else {
                PlainTransport(descriptor: descriptor)
            }
        counters.update { $0.acceptedConnections += 1 }
        counters.update { $0.openConnections += 1 }
        let connection = HTTPConnection(channel, transport, self)
        connections[connection.token] = connection
        connection.start()
    }

    /// Closes the connection that has waited longest, if it has waited long enough, so that unused connections do not
    /// block new ones.
    /// - Returns: whether one was closed.
    private func makeRoom() -> Bool {
        let oldest = connections.values.min { $0.waitingSince ?? .never < $1.waitingSince ?? .never }
        guard let oldest, let since = oldest.waitingSince, loop.now - since >= configuration.evictableAfter else {
            return false
        }
        counters.update { $0.displacedConnections += 1 }
        report(
            .displaced,
            .warn,
            "An idle connection was closed to make room for a new one",
            ["max_connections": .int(maxConnections)]
        )
        forget(oldest)
        oldest.evict()
        return true
    }

    /// Rejects a connection: with a 503 response, or just by closing it if TLS is enabled or too many rejections are in
    /// progress.
    private func reject(_ channel: Channel) {
        counters.update { $0.refusedConnections += 1 }
        report(
            .rejected,
            .warn,
            "A connection was rejected because there are too many",
            ["max_connections": .int(maxConnections)]
        )
        guard configuration.tls == nil, rejections < Self.maxRejections else {
            channel.close()
            return
        }
        rejections += 1
        let stream = ConnectionStream(
            channel,
            PlainTransport(descriptor: channel.descriptor),
            loop,
            configuration.writeTimeout,
            readSize: configuration.maxPipelinedBytes
        )
        var response = render(HTTPProblem(.serviceUnavailable, "too_many_connections"))
        response.headers["Retry-After"] = "1"
        let bytes = encode(response) ?? []
        loop.spawn { [self] in
            // lint: the client may have disconnected
            if (try? await stream.send(OutputBuffer(bytes))) != nil {
                await stream.finish(isHurried: isDraining)
            }
            channel.close()
            rejections -= 1
        }
    }

    /// Encodes one of the server's own responses, after which the connection is closed.
    /// - Returns: nil, after logging, if the embedder's ``HTTPProblem/Renderer`` made it invalid.
    func encode(_ response: HTTPResponse, answering method: HTTPMethod = .get) -> [UInt8]? {
        let request = HTTPRequestHead(method: method, target: "/")
        do throws(HTTPWireError) {
            let encoded = try ResponseEncoder.encode(response, to: request, keepsConnection: false, date: date)
            return encoded.head + (method == .head ? [] : response.bytes)
        } catch {
            responseUnusable(error, target: request.target)
            return nil
        }
    }

    /// Logs at a limited rate.
    func report(
        _ key: LimitedLog.Key,
        _ level: LogLevel,
        _ message: String,
        _ fields: @autoclosure () -> LogFields
    ) {
        limitedLog.record(key, at: loop.now, level, message, fields())
    }
}

extension ServerCore {
    func connectionEnded(_ connection: HTTPConnection) {
        guard forget(connection) else { return }
        if isDraining, connections.isEmpty { end() }
    }

    /// - Returns: whether it existed.
    @discardableResult
    private func forget(_ connection: HTTPConnection) -> Bool {
        guard connections.removeValue(forKey: connection.token) != nil else { return false }
        counters.update { $0.openConnections -= 1 }
        return true
    }
}
