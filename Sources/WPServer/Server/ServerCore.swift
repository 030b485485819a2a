// SPDX-License-Identifier: MIT

import WPCore
import WPSockets
import WPHTTP
import WPLogging

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The shared state of a running server's connections, and their admission.
///
/// Unchecked because it belongs to the loop's thread, which calls ``start(_:onEnd:)`` and ``stop()`` first.
final class ServerCore: @unchecked Sendable {
    /// The number of rejected connections that get an answer at a time; others are just closed.
    private static let maxRejections = 64
    /// The number of connections accepted before yielding.
    private static let acceptBatch = 64
    /// The delay before retrying without free descriptors.
    private static let acceptPause = Duration.milliseconds(100)

    let loop: EventLoop
    private(set) var configuration: HTTPServer.Configuration {
        didSet { maxConnections = Self.maxConnections(configuration) }
    }
    /// The maximum number of connections: as configured, or fewer if the process lacks descriptors.
    private(set) var maxConnections: Int
    let handler: any HTTPHandler
    let logger: Logger
    let counters: ServerCounters
    let observer: HTTPServer.Observer?
    let render: HTTPProblem.Renderer
    private let dateField = DateField()
    let heads: RequestHeads
    private(set) var isDraining = false
    var waiting = WaitingConnections()

    private var listeners: [Channel] = []
    private var isAcceptPaused = false
    private var connections: [UInt64: HTTPConnection] = [:]
    private var refusals = 0
    private var onEnd: (() -> Void)?
    var limitedLog = LimitedLog()

    init(
        loop: EventLoop,
        configuration: HTTPServer.Configuration,
        handler: any HTTPHandler,
        logger: Logger,
        counters: ServerCounters,
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
        heads = RequestHeads(limits: configuration.limits)
    }

    /// The value of Date.
    var date: String { dateField.text(at: loop.time.secondsSince1970) }

    private static func maxConnections(_ configuration: HTTPServer.Configuration) -> Int {
        guard let limit = configuration.openFileLimit() else { return configuration.maxConnections }
        return min(configuration.maxConnections, max(1, limit - configuration.descriptorReserve))
    }

    /// Starts accepting connections.
    /// - Parameter onEnd: called once, when the last connection has ended after ``stop()``.
    func start(_ sockets: [ListeningSocket], onEnd: @escaping () -> Void) throws(SystemCallError) {
        for socket in sockets {
            let listener = try loop.open(socket.take(), isListener: true)
            listener.callbacks.onEvent = { [unowned self, unowned listener] in acceptPending(listener) }
            listeners.append(listener)
        }
        self.onEnd = onEnd
        if maxConnections < configuration.maxConnections {
            logger.warn(
                "Fewer connections are served than configured, because the process may open too few files",
                [
                    "max_connections": .int(configuration.maxConnections), "served": .int(maxConnections),
                    "reserve": .int(configuration.descriptorReserve),
                ]
            )
        }
        if isDraining { drain() }
    }

    /// Changes the limits. Current waits keep their deadline.
    func update(_ configuration: HTTPServer.Configuration) {
        self.configuration = configuration
        heads.limits = configuration.limits
    }

    /// Stops accepting, lets requests in flight finish within the graceful timeout, then cancels the rest.
    func stop() {
        guard !isDraining else { return }
        isDraining = true
        if onEnd != nil { drain() }
    }

    private func drain() {
        // Peers in the system's queue may already have sent a request.
        for listener in listeners {
            // The backlog limits how many can be waiting.
            _ = accept(from: listener, atMost: configuration.backlog + Self.acceptBatch)
            listener.close()
        }
        listeners = []
        logger.info("Stopping", ["connections": .int(connections.count)])
        for connection in connections.values { connection.drain() }
        if connections.isEmpty {
            end()
        } else {
            loop.schedule(after: configuration.gracefulTimeout) { [self] in cutAll() }
        }
    }

    private func cutAll() {
        guard !connections.isEmpty else { return }
        logger.warn(
            "Requests still in flight were cut at the end of the graceful timeout",
            [
                "connections": .int(connections.count)
            ]
        )
        for connection in connections.values { connection.cut() }
        // A handler that ignores cancellation keeps its task and the loop's thread alive, but not the server.
        counters.openConnections.add(-connections.count)
        connections = [:]
        end()
    }

    private func end() {
        onEnd?()
        onEnd = nil
    }

    /// Accepts a batch of waiting connections.
    private func acceptPending(_ listener: Channel) {
        guard listener.isOpen, !isAcceptPaused else { return }
        guard accept(from: listener, atMost: Self.acceptBatch) else { return }
        loop.schedule(after: .zero) { [weak self] in self?.acceptPending(listener) }
    }

    /// - Returns: whether more may be waiting.
    private func accept(from listener: Channel, atMost count: Int) -> Bool {
        for _ in 0..<count {
            let descriptor = SocketPlatform.accept(listener.descriptor)
            if descriptor >= 0 {
                admit(descriptor)
                continue
            }
            switch errno {
            case EAGAIN, EWOULDBLOCK: return false
            // A connection that was closed before it was accepted, or that a firewall rejects.
            case EINTR, ECONNABORTED, EPROTO, EPERM: continue
            // Out of descriptors, which the system reports even without waiting connections.
            case EMFILE, ENFILE:
                guard SocketIO.isReadable(listener.descriptor) else { return false }
                // Closing the connection that has waited longest frees a descriptor.
                if makeRoom() { continue }
                pauseAccepting(EMFILE)
                return false
            case let code:
                pauseAccepting(code)
                return false
            }
        }
        return true
    }

    /// Meanwhile, connections wait in the system's queue.
    private func pauseAccepting(_ code: Int32) {
        limitedLog.record(loop.now, key: .exhausted) { suppressed in
            logger.warn(
                "No connection can be accepted for now",
                [
                    "error": .string(String(cString: strerror(code))), "open_connections": .int(connections.count),
                    "suppressed": .int(suppressed),
                ]
            )
        }
        isAcceptPaused = true
        loop.schedule(after: Self.acceptPause) { [weak self] in
            guard let self else { return }
            isAcceptPaused = false
            for listener in listeners { acceptPending(listener) }
        }
    }

    /// Serves a connection, if the limit allows.
    func admit(_ descriptor: Int32) {
        let channel: Channel
        do throws(SystemCallError) {
            channel = try loop.open(descriptor)
        } catch {
            unwatchable(error)
            return
        }
        guard connections.count < maxConnections || makeRoom() else {
            refuse(channel)
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
        counters.acceptedConnections.add()
        counters.openConnections.add()
        let connection = HTTPConnection(channel, transport, self)
        connections[connection.token] = connection
        waiting.add(connection, now: loop.now)
        connection.start()
    }

    private func unwatchable(_ error: SystemCallError) {
        counters.refusedConnections.add()
        limitedLog.record(loop.now, key: .exhausted) { suppressed in
            logger.warn(
                "A connection can't be watched and was closed",
                [
                    "call": .string(String(describing: error.call)), "error": .string(systemReason(error.code)),
                    "suppressed": .int(suppressed),
                ]
            )
        }
    }

    /// Closes the connection that has waited longest, if long enough, so that unused connections do not block others.
    /// - Returns: whether one was closed.
    private func makeRoom() -> Bool {
        guard let oldest = waiting.oldest, let since = oldest.waiting.since,
            loop.now - since >= configuration.evictableAfter
        else { return false }
        counters.displacedConnections.add()
        limitedLog.record(loop.now, key: .displaced) { suppressed in
            logger.warn(
                "An idle connection was closed to make room for a new one",
                [
                    "max_connections": .int(maxConnections), "suppressed": .int(suppressed),
                ]
            )
        }
        forget(oldest)
        oldest.giveWay()
        return true
    }

    /// Answers that there are too many connections, without TLS and without counting the connection.
    private func refuse(_ channel: Channel) {
        counters.refusedConnections.add()
        limitedLog.record(loop.now, key: .refused) { suppressed in
            logger.warn(
                "A connection was refused because there are too many",
                [
                    "max_connections": .int(maxConnections), "suppressed": .int(suppressed),
                ]
            )
        }
        guard configuration.tls == nil, refusals < Self.maxRejections else {
            channel.close()
            return
        }
        refusals += 1
        let stream = ConnectionStream(
            channel,
            PlainTransport(descriptor: channel.descriptor),
            loop,
            configuration
        )
        let response = busyResponse()
        loop.spawn { [self] in
            // lint: the client may have disconnected
            if (try? await stream.send(OutputBuffer(response))) != nil {
                await stream.finish(isHurried: isDraining)
            }
            channel.close()
            refusals -= 1
        }
    }

    private func busyResponse() -> [UInt8] {
        var response = render(HTTPProblem(.serviceUnavailable, "too_many_connections"))
        response.headers["Retry-After"] = "1"
        // lint: a status and headers of ours, encoded in all tests
        let encoded = try? ResponseEncoder.encode(
            response,
            to: HTTPRequestHead(method: .get, target: "/"),
            keepsConnection: false,
            date: date
        )
        return (encoded?.head ?? []) + response.bytes
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
        waiting.remove(connection)
        guard connections.removeValue(forKey: connection.token) != nil else { return false }
        counters.openConnections.add(-1)
        return true
    }
}
