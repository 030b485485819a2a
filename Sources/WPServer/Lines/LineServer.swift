// SPDX-License-Identifier: MIT

import Synchronization
package import WPCore
package import WPLogging
package import WPSockets

/// A server for line-based protocols, on its own event loop. It manages connections and limits; a ``LineSession`` per
/// connection handles the lines.
package final class LineServer: Sendable {
    /// The limits on connections and lines.
    package struct Limits: Sendable, Hashable {
        /// The maximum number of connections. When it is reached, the expendable connection that has been idle longest
        /// is closed, or the new one if there is none.
        package var maxConnections = 4096
        /// The maximum length of a line in bytes without its line feed; a longer one is answered with
        /// ``oversizeAnswer``, and the connection is closed.
        package var maxLineBytes = 1024
        /// The idle timeout of a connection.
        package var idleTimeout: Duration = .seconds(600)
        /// The timeout of a stalled write.
        package var writeTimeout: Duration = .seconds(10)
        /// The timeout of a TLS handshake.
        package var handshakeTimeout: Duration = .seconds(10)
        /// The answer to a line that is too long.
        package var oversizeAnswer: [UInt8] = []
        /// The keep-alive timeout.
        package var keepAlive: Duration = .seconds(45)

        package init() {}
    }

    /// Creates the session of a new connection, or returns nil to close it.
    /// - Parameter peer: its numeric address.
    package typealias Admission = @Sendable (_ peer: HostPort) -> (any LineSession)?

    private let name: String
    private let addresses: [HostPort]
    private let limits: Limits
    private let logger: Logger
    private let timeSource: any TimeSource
    private let admit: Admission
    private let counters = Counters(LineServerStatistics())
    private let sockets = Mutex<[ListeningSocket]>([])

    /// Creates a server without binding it.
    /// - Parameters:
    ///   - name: its name in the log.
    ///   - timeSource: the clock for its timeouts.
    package init(
        name: String,
        addresses: [HostPort],
        limits: Limits = Limits(),
        logger: Logger = .silent,
        timeSource: any TimeSource = .system,
        admit: @escaping Admission
    ) {
        self.name = name
        self.addresses = addresses
        self.limits = limits
        self.logger = logger
        self.timeSource = timeSource
        self.admit = admit
    }

    /// Its statistics.
    package var statistics: LineServerStatistics { counters.snapshot }

    /// The ports that it listens on, in order of the addresses; empty before ``bind()`` and while it runs.
    package var ports: [Int] { sockets.withLock { $0.compactMap(\.port) } }

    /// Binds and listens; ``run()`` serves the connections. Blocks during a name lookup.
    package func bind() throws(HTTPServerError) {
        guard sockets.withLock({ $0.isEmpty }) else { return }
        var opened: [ListeningSocket] = []
        for address in addresses {
            opened.append(try ListeningSocket.open(host: address.host, port: address.port, backlog: 511))
        }
        sockets.withLock { $0 = opened }
    }

    /// Serves until the task is cancelled, then closes all connections. Calls ``bind()`` if needed.
    package func run() async throws {
        try bind()
        let listening = sockets.withLock { sockets in
            defer { sockets = [] }
            return sockets
        }
        do {
            let loop = try EventLoop(timeSource: timeSource)
            try loop.start(named: "line-server")
            defer { loop.execute { loop.stop() } }
            let core = LineServerCore(loop: loop, limits: limits, logger: logger, counters: counters, admit: admit)
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                    loop.execute { [logger, name] in
                        do {
                            try core.start(listening) { continuation.resume() }
                            for socket in listening {
                                logger.info("\(name) server listening", ["address": .string(socket.address)])
                            }
                        } catch {
                            continuation.resume(throwing: error)
                        }
                    }
                }
            } onCancel: {
                loop.execute { core.stop() }
            }
        } catch let error as SystemCallError {
            throw HTTPServerError.cannotStart(error)
        }
    }
}

/// The statistics of a ``LineServer`` since its creation.
package struct LineServerStatistics: Sendable, Hashable {
    /// Open connections.
    package var open = 0
    /// Connections that were accepted and served.
    package var accepted = 0
    /// Connections closed immediately, because the peer was rejected or there were too many.
    package var rejected = 0
    /// Connections closed after an idle or write timeout.
    package var timeouts = 0
    /// TLS handshakes that failed.
    package var failedHandshakes = 0
}
