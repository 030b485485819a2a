// SPDX-License-Identifier: MIT

import WPLogging
import WPSockets

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Accepts and closes the connections of a running ``LineServer``.
///
/// Unchecked because it belongs to the loop's thread.
final class LineServerCore: @unchecked Sendable {
    /// The number of connections accepted before yielding.
    private static let acceptBatch = 64
    /// The delay before retrying without free descriptors.
    private static let acceptPause = Duration.milliseconds(100)

    let loop: EventLoop
    let limits: LineServer.Limits
    let logger: Logger
    let counters: LineServerCounters
    var limitedLog = LimitedLog()
    private let admit: LineServer.Admission
    private var listeners: [Channel] = []
    private var connections: [UInt64: LineConnection] = [:]
    /// The connections closed to make room that have not ended yet.
    private var displaced: Set<UInt64> = []
    private var isAcceptPaused = false
    private var isStopping = false
    private var onEnd: (() -> Void)?

    init(
        loop: EventLoop,
        limits: LineServer.Limits,
        logger: Logger,
        counters: LineServerCounters,
        admit: @escaping LineServer.Admission
    ) {
        self.loop = loop
        self.limits = limits
        self.logger = logger
        self.counters = counters
        self.admit = admit
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
        if isStopping { finish() }
    }

    /// Closes everything.
    func stop() {
        isStopping = true
        if onEnd != nil { finish() }
    }

    private func finish() {
        for listener in listeners { listener.close() }
        listeners = []
        for connection in connections.values { connection.close() }
        endIfDone()
    }

    private func endIfDone() {
        guard isStopping, connections.isEmpty else { return }
        onEnd?()
        onEnd = nil
    }

    func ended(_ connection: LineConnection) {
        guard connections.removeValue(forKey: connection.token) != nil else { return }
        displaced.remove(connection.token)
        counters.open.add(-1)
        endIfDone()
    }

    private func acceptPending(_ listener: Channel) {
        guard listener.isOpen, !isAcceptPaused else { return }
        for _ in 0..<Self.acceptBatch {
            let descriptor = SocketPlatform.accept(listener.descriptor)
            if descriptor >= 0 {
                serve(descriptor)
                continue
            }
            switch errno {
            case EAGAIN, EWOULDBLOCK: return
            case EINTR, ECONNABORTED, EPROTO, EPERM: continue
            case let code:
                pauseAccepting(code)
                return
            }
        }
        loop.schedule(after: .zero) { [weak self] in self?.acceptPending(listener) }
    }

    /// Meanwhile, connections wait in the system's queue.
    private func pauseAccepting(_ code: Int32) {
        limitedLog.record(loop.now, key: .exhausted) { suppressed in
            logger.warn(
                "No connection can be accepted for now",
                ["error": .string(systemReason(code)), "suppressed": .int(suppressed)]
            )
        }
        isAcceptPaused = true
        loop.schedule(after: Self.acceptPause) { [weak self] in
            guard let self else { return }
            isAcceptPaused = false
            for listener in listeners { acceptPending(listener) }
        }
    }

    private func serve(_ descriptor: Int32) {
        let channel: Channel
        do throws(SystemCallError) {
            channel = try loop.open(descriptor)
        } catch {
            counters.rejected.add()
            return
        }
        guard let peer = SocketOptions.peerName(of: descriptor) else {
            channel.close()
            return
        }
        guard connections.count - displaced.count < limits.maxConnections || makeRoom() else {
            reject(channel, "there are too many connections")
            return
        }
        guard let session = admit(peer) else {
            counters.rejected.add()
            channel.close()
            return
        }
        SocketOptions.disableDelay(descriptor)
        SocketOptions.limitUnsent(descriptor)
        SocketOptions.keepAlive(descriptor, within: limits.keepAlive)
        counters.accepted.add()
        counters.open.add()
        let connection = LineConnection(channel, session, self)
        connections[connection.token] = connection
        connection.start()
    }

    private func makeRoom() -> Bool {
        let expendable = connections.values.filter { $0.session.isExpendable && !displaced.contains($0.token) }
        guard let oldest = expendable.min(by: { $0.idleSince < $1.idleSince }) else { return false }
        displaced.insert(oldest.token)
        oldest.close()
        return true
    }

    private func reject(_ channel: Channel, _ reason: String) {
        counters.rejected.add()
        limitedLog.record(loop.now, key: .refused) { suppressed in
            logger.warn(
                "A connection was rejected",
                [
                    "reason": .string(reason), "max_connections": .int(limits.maxConnections),
                    "suppressed": .int(suppressed),
                ]
            )
        }
        channel.close()
    }
}
