// SPDX-License-Identifier: MIT

import Synchronization
public import WPHTTP

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A server on a free port of the loopback that does byte by byte what a test's script says. It knows no HTTP beyond
/// where a request ends, so that it can't share the client's mistakes.
public final class ScriptedServer: Sendable {
    /// What is done with one connection.
    public typealias Script = @Sendable (ScriptedPeer) -> Void

    /// Outlives the server as long as a connection does.
    private final class Counts: Sendable {
        struct State {
            var isListening = false
            var accepted = 0
            var ended = 0
            var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        }

        let state = Mutex(State())

        func change(_ change: (inout State) -> Void) {
            let due = state.withLock { state in
                change(&state)
                let ended = state.ended
                defer { state.watchers.removeAll { $0.count <= ended } }
                return state.watchers.filter { $0.count <= ended }
            }
            for watcher in due { watcher.continuation.resume() }
        }
    }

    /// The port.
    public let port: UInt16
    private let listener: Int32
    private let tls: TLSContext?
    private let script: Script
    private let counts = Counts()

    /// Starts a server whose every connection runs the script on a thread of its own and is closed at its end.
    /// - Parameters:
    ///   - isIPv6: whether it is on ::1 rather than 127.0.0.1.
    ///   - refuses: whether connections are refused until ``listen()``.
    ///   - tls: puts TLS on every connection before its script begins.
    public init(
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
        if counts.state.withLock({ $0.isListening }) {
            // Wakes accept, whose thread then closes the socket.
            shutdown(listener, Int32(SHUT_RDWR))
        } else {
            close(listener)
        }
    }

    /// Begins to take connections.
    public func listen() {
        let isFirst = counts.state.withLock { state in
            defer { state.isListening = true }
            return !state.isListening
        }
        guard isFirst else { return }
        _ = systemListen(listener, 64)
        startThread { [listener, counts, tls, script] in
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else { break }
                counts.change { $0.accepted += 1 }
                startThread {
                    let peer = ScriptedPeer(descriptor, tls: tls)
                    script(peer)
                    peer.close()
                    counts.change { $0.ended += 1 }
                }
            }
            close(listener)
        }
    }

    /// How many connections came.
    public var accepted: Int { counts.state.withLock { $0.accepted } }

    /// Waits until so many scripts have come to their end.
    public func waitForEnds(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isEnough = counts.state.withLock { state in
                if state.ended < count { state.watchers.append((count, continuation)) }
                return state.ended >= count
            }
            if isEnough { continuation.resume() }
        }
    }
}

private func systemListen(_ descriptor: Int32, _ backlog: Int32) -> Int32 { listen(descriptor, backlog) }
