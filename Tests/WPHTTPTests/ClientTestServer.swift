// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization

@testable import WPHTTP

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A server on a free port of the loopback that does byte by byte what a test's script says. It knows no HTTP beyond
/// where a request ends, so that it can't share the client's mistakes.
final class ClientTestServer: Sendable {
    typealias Script = @Sendable (ClientTestPeer) -> Void

    struct Unavailable: Error {
        let step: String
    }

    /// Outlives the server as long as a connection does.
    private final class Counts: Sendable {
        struct State {
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

    let port: UInt16
    private let listener: Int32
    private let counts = Counts()

    /// Starts a server whose every connection runs the script on a thread of its own and is closed at its end.
    init(host: String = "127.0.0.1", tls: TLSContext? = nil, script: @escaping Script) throws {
        (listener, port) = try bindLoopback(host, listens: true)
        DispatchQueue(label: "test-server").async { [listener, counts] in
            while true {
                let descriptor = accept(listener, nil, nil)
                guard descriptor >= 0 else { break }
                counts.change { $0.accepted += 1 }
                DispatchQueue(label: "test-server.connection").async {
                    let peer = ClientTestPeer(descriptor, tls: tls)
                    script(peer)
                    peer.close()
                    counts.change { $0.ended += 1 }
                }
            }
            close(listener)
        }
    }

    deinit {
        // Wakes accept, whose thread then closes the socket.
        shutdown(listener, Int32(SHUT_RDWR))
    }

    /// How many connections came.
    var accepted: Int { counts.state.withLock { $0.accepted } }

    /// Waits until so many scripts have come to their end.
    func waitForEnds(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isEnough = counts.state.withLock { state in
                if state.ended < count { state.watchers.append((count, continuation)) }
                return state.ended >= count
            }
            if isEnough { continuation.resume() }
        }
    }
}

/// The server's side of one connection. One thread uses it.
final class ClientTestPeer {
    private static let patience: Int32 = 60_000

    private let descriptor: Int32
    private var tls: TLSSession?
    private var isOpen = true
    private var pending: [UInt8] = []

    init(_ descriptor: Int32, tls context: TLSContext?) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        SocketPlatform.suppressSIGPIPE(descriptor)
        if let context { startTLS(context) }
    }

    /// Puts TLS on the connection, the client's handshake included.
    func startTLS(_ context: TLSContext) {
        guard let session = try? TLSSession(server: context, descriptor: descriptor) else { return }
        tls = session
        // A handshake that the client gives up shows as the end of the stream.
        while let step = try? session.handshake(), wait(for: step) {}
    }

    /// Reads one request, head and body by its Content-Length; nil at the end of the stream.
    func readRequest() -> String? {
        while true {
            let text = String(decoding: pending, as: UTF8.self)
            if let end = text.firstRange(of: "\r\n\r\n") {
                let head = text[..<end.upperBound]
                let lines = head.split(separator: "\r\n")
                let length = lines.first { $0.lowercased().hasPrefix("content-length: ") }
                    .flatMap { Int($0.dropFirst("content-length: ".count)) }
                let total = head.utf8.count + (length ?? 0)
                if pending.count >= total {
                    defer { pending.removeFirst(total) }
                    return String(decoding: pending[..<total], as: UTF8.self)
                }
            }
            guard let more = read() else { return nil }
            pending += more
        }
    }

    /// Reads whatever comes first.
    func readSome() {
        if let some = read() { pending += some }
    }

    /// Sends a text, or as much of it as goes while the peer is there.
    @discardableResult
    func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Sends bytes.
    @discardableResult
    func send(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { raw in
            var rest = raw[...]
            while !rest.isEmpty {
                let piece = UnsafeRawBufferPointer(rebasing: rest)
                let step: TLSSession.Step
                if let tls {
                    guard let next = try? tls.write(piece) else { return false }
                    step = next
                } else {
                    let count = SocketPlatform.send(descriptor, piece.baseAddress, piece.count)
                    step = count >= 0 ? .done(count) : errno == EAGAIN ? .wantsWrite : .closed
                }
                if case .done(let count) = step {
                    rest = rest.dropFirst(count)
                } else if !wait(for: step) {
                    return false
                }
            }
            return true
        }
    }

    /// Sends one byte a time, at intervals, until all are sent or the peer is gone.
    func drip(_ text: String, every microseconds: UInt32) {
        for byte in text.utf8 {
            guard send([byte]) else { return }
            usleep(microseconds)
        }
    }

    /// Waits until the peer has closed, and gives what it still sent.
    @discardableResult
    func waitForEnd() -> [UInt8] {
        var rest = pending
        while let more = read() { rest += more }
        return rest
    }

    /// Closes the connection in order.
    func close() {
        guard isOpen else { return }
        tls?.sendClose()
        closeAbruptly()
    }

    /// Closes the connection without TLS's farewell.
    func closeAbruptly() {
        guard isOpen else { return }
        isOpen = false
        _ = systemClose(descriptor)
    }

    /// Closes the connection with a reset.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        _ = setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        closeAbruptly()
    }

    private func read() -> [UInt8]? {
        guard isOpen else { return nil }
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let step: TLSSession.Step? = buffer.withUnsafeMutableBytes { raw in
                guard tls == nil else { return try? tls?.read(into: raw) }
                let count = recv(descriptor, raw.baseAddress, raw.count, 0)
                return count > 0 ? .done(count) : count < 0 && errno == EAGAIN ? .wantsRead : .closed
            }
            if case .done(let count) = step { return Array(buffer[..<count]) }
            guard let step, wait(for: step) else { return nil }
        }
    }

    /// Waits for what a step wants; false when it wants nothing more or the wait was too long.
    private func wait(for step: TLSSession.Step) -> Bool {
        let events: Int32
        switch step {
        case .wantsRead: events = pollIn
        case .wantsWrite: events = pollOut
        case .done, .closed: return false
        }
        var entry = pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0)
        return poll(&entry, 1, Self.patience) > 0
    }
}

private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }
