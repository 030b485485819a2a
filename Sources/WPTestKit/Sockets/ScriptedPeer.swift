// SPDX-License-Identifier: MIT

package import WPHTTP
import WPSockets

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The server side of one connection. Used by one thread.
package final class ScriptedPeer {
    private static let maximumWait: Int32 = 60_000

    private let descriptor: Int32
    private var tls: TLSSession?
    private var isOpen = true
    private var pending: [UInt8] = []

    init(_ descriptor: Int32, tls context: TLSContext?) {
        self.descriptor = descriptor
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        Self.suppressSIGPIPE(descriptor)
        if let context { startTLS(context) }
    }

    /// Starts TLS on the connection, including the handshake.
    package func startTLS(_ context: TLSContext) {
        guard let session = try? TLSSession(server: context, descriptor: descriptor) else { return }
        tls = session
        // A handshake that the client aborts appears as the end of the stream.
        while let step = try? session.handshake(), wait(for: step) {}
    }

    /// Reads one request: its head, and a body of `Content-Length` bytes; nil at the end of the stream.
    package func readRequest() -> String? {
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

    /// Reads the next available bytes.
    package func readSome() {
        if let some = read() { pending += some }
    }

    /// Sends a string; stops if the peer disconnects.
    @discardableResult
    package func send(_ text: String) -> Bool { send(Array(text.utf8)) }

    /// Sends bytes.
    @discardableResult
    package func send(_ bytes: [UInt8]) -> Bool {
        bytes.withUnsafeBytes { raw in
            var rest = raw[...]
            while !rest.isEmpty {
                let piece = UnsafeRawBufferPointer(rebasing: rest)
                let step: SocketStep
                if let tls {
                    guard let next = try? tls.write(piece) else { return false }
                    step = next
                } else {
                    let count = systemSend(descriptor, piece.baseAddress, piece.count)
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

    /// Sends one byte at a time, at intervals, until all are sent or the peer disconnects.
    package func drip(_ text: String, every microseconds: UInt32) {
        for byte in text.utf8 {
            guard send([byte]) else { return }
            usleep(microseconds)
        }
    }

    /// Waits until the peer has closed, and returns what it sent in the meantime.
    @discardableResult
    package func waitForEnd() -> [UInt8] {
        var rest = pending
        while let more = read() { rest += more }
        return rest
    }

    /// Closes the connection cleanly, and waits until the client's kernel has acknowledged the end of the stream.
    package func close() {
        guard isOpen else { return }
        tls?.sendClose()
        shutdown(descriptor, Int32(SHUT_WR))
        waitForAcknowledgement()
        closeAbruptly()
    }

    /// Waits up to a second until the end of the stream is acknowledged. On a busy machine, loopback delivers it only
    /// some time after the call.
    private func waitForAcknowledgement() {
        #if os(Linux)
        // The first byte of `tcp_info` is the state (linux/tcp.h).
        let (tcpInfo, finWait1, closing) = (Int32(11), UInt8(4), UInt8(11))
        for _ in 0..<1000 {
            var state: UInt8 = 0
            var size = socklen_t(1)
            guard getsockopt(descriptor, Int32(IPPROTO_TCP), tcpInfo, &state, &size) == 0,
                state == finWait1 || state == closing
            else { return }
            usleep(1000)
        }
        #endif
    }

    /// Closes the connection without TLS close_notify.
    package func closeAbruptly() {
        guard isOpen else { return }
        isOpen = false
        _ = systemClose(descriptor)
    }

    /// Closes the connection with a reset.
    package func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        _ = setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout.size(ofValue: linger)))
        closeAbruptly()
    }

    private static func suppressSIGPIPE(_ descriptor: Int32) {
        #if canImport(Darwin)
        var on: Int32 = 1
        _ = setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    private func read() -> [UInt8]? {
        guard isOpen else { return nil }
        var buffer = [UInt8](repeating: 0, count: 4096)
        while true {
            let step: SocketStep? = buffer.withUnsafeMutableBytes { raw in
                guard tls == nil else { return try? tls?.read(into: raw) }
                let count = recv(descriptor, raw.baseAddress, raw.count, 0)
                return count > 0 ? .done(count) : count < 0 && errno == EAGAIN ? .wantsRead : .closed
            }
            if case .done(let count) = step { return Array(buffer[..<count]) }
            guard let step, wait(for: step) else { return nil }
        }
    }

    /// Waits for the socket event of a step; false if the step needs none or the wait timed out.
    private func wait(for step: SocketStep) -> Bool {
        let events: Int32
        switch step {
        case .wantsRead: events = Int32(POLLIN)
        case .wantsWrite: events = Int32(POLLOUT)
        case .done, .closed: return false
        }
        var entry = pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: events), revents: 0)
        return poll(&entry, 1, Self.maximumWait) > 0
    }
}

private func systemClose(_ descriptor: Int32) -> Int32 { close(descriptor) }

private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    #if canImport(Darwin)
    send(descriptor, bytes, count, 0)
    #else
    send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
    #endif
}
