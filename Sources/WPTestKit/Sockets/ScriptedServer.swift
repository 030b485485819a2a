// SPDX-License-Identifier: MIT

import Synchronization
package import WPHTTP
import WPSockets

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A server on a free port of the loopback that does byte by byte what a test's script says. It knows no HTTP beyond
/// where a request ends, so that it can't share the client's mistakes.
///
/// Every wait ends: nothing of it holds a test up for longer than ``patience``.
package final class ScriptedServer: Sendable {
    /// What is done with one connection.
    package typealias Script = @Sendable (ScriptedPeer) -> Void

    /// How long to wait for a connection, and for a script's end: far longer than a test that is well takes.
    package static let patience = Duration.seconds(60)

    /// Outlives the server as long as a connection does.
    private final class Counts: Sendable {
        struct State {
            var isListening = false
            /// Whether the listening socket is closed: its number may belong to somebody else then.
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

    /// Starts a server whose every connection runs the script on a thread of its own and is closed at its end.
    /// - Parameters:
    ///   - isIPv6: whether it is on ::1 rather than 127.0.0.1.
    ///   - refuses: whether connections are refused until ``listen()``.
    ///   - tls: puts TLS on every connection before its script begins.
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

    /// Begins to take connections.
    package func listen() {
        let isFirst = counts.state.withLock { state in
            defer { state.isListening = true }
            return !state.isListening
        }
        guard isFirst else { return }
        // So that accept does not wait either, for a peer that has left again.
        SocketPlatform.adopt(listener)
        _ = systemListen(listener, 64)
        startThread { [listener, counts, tls, script] in
            while Self.waitForConnection(listener) {
                let descriptor = SocketPlatform.accept(listener)
                guard descriptor >= 0 else {
                    // A peer that has left already.
                    if errno == ECONNABORTED || errno == EINTR || errno == EAGAIN { continue }
                    break
                }
                counts.state.withLock { $0.accepted += 1 }
                startThread {
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

    /// How many connections came.
    package var accepted: Int { counts.state.withLock { $0.accepted } }

    /// Waits until this many scripts have ended.
    /// - Throws: after ``patience``, or when the task is cancelled.
    package func waitForEnds(_ count: Int, within limit: Duration = patience) async throws {
        let end = ContinuousClock.now + limit
        while counts.state.withLock({ $0.ended < count }) {
            guard ContinuousClock.now < end else { throw Overdue(missing: count) }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    /// Scripts that have not ended in time.
    private struct Overdue: Error {
        let missing: Int
    }

    /// - Returns: false when nobody came for too long, or the server is gone.
    private static func waitForConnection(_ listener: Int32) -> Bool {
        var entry = pollfd(fd: listener, events: Int16(truncatingIfNeeded: POLLIN), revents: 0)
        let milliseconds = Int32(clamping: patience.components.seconds * 1000)
        while true {
            let count = poll(&entry, 1, milliseconds)
            if count < 0, errno == EINTR { continue }
            return count > 0
        }
    }
}

private func systemListen(_ descriptor: Int32, _ backlog: Int32) -> Int32 { listen(descriptor, backlog) }
