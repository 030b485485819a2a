// SPDX-License-Identifier: MIT

import WPLogging
import WPSockets

/// Accepts and closes the connections of a running ``LineServer``.
///
/// Unchecked because it is used only on the loop's thread.
final class LineServerCore: @unchecked Sendable {
    let loop: EventLoop
    let limits: LineServer.Limits
    let counters: Counters<LineServerStatistics>
    private var limitedLog: LimitedLog
    private let admit: LineServer.Admission
    private lazy var acceptor = Acceptor(
        loop: loop,
        serve: { [unowned self] in serve($0) },
        makeRoom: { [unowned self] in makeRoom() },
        report: { [unowned self] in
            report(.exhausted, .warn, "Connections cannot be accepted", ["error": .string(systemReason($0))])
        }
    )
    private var connections: [UInt64: LineConnection] = [:]
    private var isStopping = false
    private var onEnd: (() -> Void)?

    init(
        loop: EventLoop,
        limits: LineServer.Limits,
        logger: Logger,
        counters: Counters<LineServerStatistics>,
        admit: @escaping LineServer.Admission
    ) {
        self.loop = loop
        self.limits = limits
        limitedLog = LimitedLog(logger)
        self.counters = counters
        self.admit = admit
    }

    /// Starts accepting connections.
    /// - Parameter onEnd: called once, when the last connection has ended after ``stop()``.
    func start(_ sockets: [ListeningSocket], onEnd: @escaping () -> Void) throws(SystemCallError) {
        try acceptor.listen(on: sockets)
        self.onEnd = onEnd
        if isStopping { finish() }
    }

    /// Stops accepting connections, and closes the open ones.
    func stop() {
        isStopping = true
        if onEnd != nil { finish() }
    }

    private func finish() {
        acceptor.close(accepting: 0)
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
        counters.update { $0.open -= 1 }
        endIfDone()
    }

    private func serve(_ descriptor: Int32) {
        let channel: Channel
        do throws(SystemCallError) {
            channel = try loop.open(descriptor)
        } catch {
            counters.update { $0.rejected += 1 }
            return
        }
        guard let peer = SocketOptions.peerName(of: descriptor) else {
            channel.close()
            return
        }
        guard connections.count < limits.maxConnections || makeRoom() else {
            reject(channel, "there are too many connections")
            return
        }
        guard let session = admit(peer) else {
            counters.update { $0.rejected += 1 }
            channel.close()
            return
        }
        SocketOptions.disableDelay(descriptor)
        SocketOptions.limitUnsent(descriptor)
        SocketOptions.keepAlive(descriptor, within: limits.keepAlive)
        counters.update { $0.accepted += 1 }
        counters.update { $0.open += 1 }
        let connection = LineConnection(channel, session, self)
        connections[connection.token] = connection
        connection.start()
    }

    private func makeRoom() -> Bool {
        let expendable = connections.values.filter { $0.session.isExpendable }
        guard let oldest = expendable.min(by: { $0.idleSince < $1.idleSince }) else { return false }
        ended(oldest)
        oldest.close()
        return true
    }

    private func reject(_ channel: Channel, _ reason: String) {
        counters.update { $0.rejected += 1 }
        report(
            .rejected,
            .warn,
            "A connection was rejected",
            ["reason": .string(reason), "max_connections": .int(limits.maxConnections)]
        )
        channel.close()
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
