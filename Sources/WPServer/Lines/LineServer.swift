// SPDX-License-Identifier: MIT

import Synchronization
package import WPLogging
package import WPSockets

/// A server of a protocol of lines, on an event loop of its own: it accepts, bounds and ends connections, and leaves the lines to
/// a ``LineSession`` per connection.
package final class LineServer: Sendable {
    /// What peers may use.
    package struct Limits: Sendable, Hashable {
        /// How many connections are served at a time. For one more, the one that has been idle longest and is expendable gives
        /// way; if there is none, the new one is closed.
        package var maxConnections = 4096
        /// The longest line, in bytes without its line feed; a peer that sends a longer one is answered ``oversizeAnswer`` and
        /// closed.
        package var maxLineBytes = 1024
        /// How long a connection may be without a byte from its peer.
        package var idleTimeout: Duration = .seconds(600)
        /// How long a peer may not read.
        package var writeTimeout: Duration = .seconds(10)
        /// How long a TLS handshake may take.
        package var handshakeTimeout: Duration = .seconds(10)
        /// The answer to a line that is too long.
        package var oversizeAnswer: [UInt8] = []
        /// After this time without an answer to the system's probes a connection is lost.
        package var keepAlive: Duration = .seconds(45)

        package init() {}
    }

    /// Makes the session of a new connection; nil closes it.
    /// - Parameter peer: its address in digits.
    package typealias Admission = @Sendable (_ peer: HostPort) -> (any LineSession)?

    private let name: String
    private let addresses: [HostPort]
    private let limits: Limits
    private let logger: Logger
    private let clock: any MonotonicClock
    private let admit: Admission
    private let counters = LineServerCounters()
    private let sockets = Mutex<[ListeningSocket]>([])

    /// Creates a server that does not listen yet.
    /// - Parameter name: what it is called in the log.
    package init(
        name: String,
        addresses: [HostPort],
        limits: Limits = Limits(),
        logger: Logger = .silent,
        clock: any MonotonicClock = SystemMonotonicClock(),
        admit: @escaping Admission
    ) {
        self.name = name
        self.addresses = addresses
        self.limits = limits
        self.logger = logger
        self.clock = clock
        self.admit = admit
    }

    /// What it has done so far.
    package var statistics: LineServerStatistics { counters.snapshot }

    /// The ports that it listens on, in the order of the addresses; none before ``bind()`` and while it runs.
    package var ports: [Int] { sockets.withLock { $0.compactMap(\.port) } }

    /// Listens, so that connections are made from now on and served once ``run()`` is called. It blocks while a host's name is
    /// looked up.
    package func bind() throws(HTTPServerError) {
        guard sockets.withLock({ $0.isEmpty }) else { return }
        var opened: [ListeningSocket] = []
        for address in addresses {
            opened.append(try ListeningSocket.open(host: address.host, port: address.port, backlog: 511))
        }
        sockets.withLock { $0 = opened }
    }

    /// Serves until the task is cancelled, then closes all connections. Listens first unless ``bind()`` did.
    package func run() async throws {
        try bind()
        let listening = sockets.withLock { sockets in
            defer { sockets = [] }
            return sockets
        }
        do {
            let loop = try EventLoop(clock: clock)
            try loop.start()
            defer { loop.execute { loop.stop() } }
            let core = LineServerCore(loop: loop, limits: limits, logger: logger, counters: counters, admit: admit)
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                    loop.execute { [logger, name] in
                        do {
                            try core.start(listening) { continuation.resume() }
                            for socket in listening {
                                logger.info("\(name) server listening", ["address": .string(socket.place)])
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

/// What a ``LineServer`` has done since it was made.
package struct LineServerStatistics: Sendable, Hashable {
    /// Connections that are open now.
    package var open = 0
    /// Connections that were accepted and served.
    package var accepted = 0
    /// Connections that were closed at once: from a peer that is not admitted, or too many.
    package var rejected = 0
    /// Connections closed because a peer was silent, or did not read, for too long.
    package var timeouts = 0
    /// TLS handshakes that failed.
    package var failedHandshakes = 0
}

/// The counters behind the snapshot. Any thread reads them while the loop's thread counts.
final class LineServerCounters: Sendable {
    let open = Atomic(0)
    let accepted = Atomic(0)
    let rejected = Atomic(0)
    let timeouts = Atomic(0)
    let failedHandshakes = Atomic(0)

    var snapshot: LineServerStatistics {
        var snapshot = LineServerStatistics()
        snapshot.open = open.load(ordering: .relaxed)
        snapshot.accepted = accepted.load(ordering: .relaxed)
        snapshot.rejected = rejected.load(ordering: .relaxed)
        snapshot.timeouts = timeouts.load(ordering: .relaxed)
        snapshot.failedHandshakes = failedHandshakes.load(ordering: .relaxed)
        return snapshot
    }
}
