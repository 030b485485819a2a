// SPDX-License-Identifier: MIT

import Synchronization
import WPCore
package import WPHTTP
import WPSockets

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A server on a free loopback port that runs a test's script byte by byte. It knows nothing of HTTP except where a
/// request ends, so it cannot share the client's mistakes.
///
/// Every wait is limited to ``maximumWait``, so that no test hangs.
package final class ScriptedServer: Sendable {
    /// The behaviour of one connection.
    package typealias Script = @Sendable (ScriptedPeer) -> Void

    /// The limit for awaiting a connection or the end of a script: far longer than a passing test needs.
    package static let maximumWait = Duration.seconds(60)

    /// The counts of connections, separate because connections may outlive the server.
    private final class Counts: Sendable {
        struct State {
            var isListening = false
            /// Whether the listening socket is closed: its descriptor may have been reused.
            var isClosed = false
            var accepted = 0
            var ended = 0
        }

        let state = Mutex(State())
    }

    /// The port.
    package let port: UInt16
    private let listener: Int32
    private let tls: TLSContext?
    private let script: Script
    private let counts = Counts()

    /// Starts a server that runs the script for every connection on its own thread and then closes the connection.
    /// - Parameters:
    ///   - isIPv6: whether to bind ::1 instead of 127.0.0.1.
    ///   - refuses: whether connections are refused until ``listen()``.
    ///   - tls: the TLS context of every connection; nil for plain text.
    package init(
        isIPv6: Bool = false,
        refuses: Bool = false,
        tls: TLSContext? = nil,
        script: @escaping Script
    ) throws {
        (listener, port) = try LoopbackSocket.bind(isIPv6: isIPv6)
        self.tls = tls
        self.script = script
        if !refuses { listen() }
    }

    deinit {
        counts.state.withLock { state in
            if !state.isListening {
                close(listener)
            } else if !state.isClosed {
                // Wakes accept, whose thread then closes the socket.
                shutdown(listener, Int32(SHUT_RDWR))
            }
        }
    }

    /// Starts accepting connections.
    package func listen() {
        let isFirst = counts.state.withLock { state in
            defer { state.isListening = true }
            return !state.isListening
        }
        guard isFirst else { return }
        // Makes accept non-blocking, because the peer may already have disconnected.
        SocketPlatform.adopt(listener)
        _ = systemListen(listener, 64)
        _ = DetachedThread.start(named: "scripted-server") { [listener, counts, tls, script] in
            while Self.waitForConnection(listener) {
                let descriptor = SocketPlatform.accept(listener)
                guard descriptor >= 0 else {
                    // The peer has already disconnected.
                    if errno == ECONNABORTED || errno == EINTR || errno == EAGAIN { continue }
                    break
                }
                counts.state.withLock { $0.accepted += 1 }
                _ = DetachedThread.start(named: "scripted-peer") {
                    let peer = ScriptedPeer(descriptor, tls: tls)
                    script(peer)
                    peer.close()
                    counts.state.withLock { $0.ended += 1 }
                }
            }
            counts.state.withLock { state in
                state.isClosed = true
                close(listener)
            }
        }
    }

    /// The number of accepted connections.
    package var accepted: Int { counts.state.withLock { $0.accepted } }

    /// Waits until this many scripts have ended.
    /// - Throws: after the limit, or if the task is cancelled.
    package func waitForEnds(_ count: Int, within limit: Duration = maximumWait) async throws {
        let end = ContinuousClock.now + limit
        while counts.state.withLock({ $0.ended < count }) {
            guard ContinuousClock.now < end else { throw Overdue(missing: count) }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// Scripts that did not end in time.
    private struct Overdue: Error {
        let missing: Int
    }

    /// - Returns: false if no client connected in time, or the server has stopped.
    private static func waitForConnection(_ listener: Int32) -> Bool {
        var entry = pollfd(fd: listener, events: Int16(truncatingIfNeeded: POLLIN), revents: 0)
        let milliseconds = Int32(clamping: maximumWait.components.seconds * 1000)
        while true {
            let count = poll(&entry, 1, milliseconds)
            if count < 0, errno == EINTR { continue }
            return count > 0
        }
    }
}

private func systemListen(_ descriptor: Int32, _ backlog: Int32) -> Int32 { listen(descriptor, backlog) }
