// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A non-blocking TCP socket of a client, closed when this value goes.
final class StreamSocket {
    /// The socket.
    let descriptor: Int32
    /// Whether the connection ended otherwise than by the peer's orderly end. Meaningful after a step gave `closed`.
    private(set) var isTruncated = false

    /// Opens a socket.
    /// - Throws: ``HTTPClientError/Code/connect`` when there is none to be had.
    init(family: Int32) throws(ClientFault) {
        descriptor = SocketPlatform.makeStreamSocket(family: family)
        guard descriptor >= 0 else {
            throw ClientFault(.connect, "no socket could be opened (\(systemReason()))")
        }
        // A request leaves in one piece or waits for nothing: there is nothing for Nagle's algorithm to gather.
        var on: Int32 = 1
        _ = setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Connects.
    /// - Parameter slot: when to give this address up; nil for the deadline of `patience`.
    /// - Returns: nil when connected, else why not.
    /// - Throws: when patience ends.
    func connect(to address: SocketAddress, _ patience: Patience, slot: Deadline?) throws(ClientFault) -> String? {
        let code = address.withSockaddr { pointer, length -> Int32 in
            systemConnect(descriptor, pointer, length) == 0 ? 0 : errno
        }
        // An interrupted connect goes on by itself (POSIX).
        guard code == EINPROGRESS || code == EINTR else { return code == 0 ? nil : systemReason(code ?? EINVAL) }
        guard try patience.wait(for: descriptor, pollOut, orUntil: slot) else {
            return "no answer in its share of time"
        }
        var failure: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &failure, &length) == 0 else { return systemReason() }
        return failure == 0 ? nil : systemReason(failure)
    }

    /// Reads what is there.
    func read(into buffer: UnsafeMutableRawBufferPointer) -> TLSSession.Step {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .done(count) }
            if count == 0 { return .closed }
            if let step = stepAfterError(.wantsRead) { return step }
        }
    }

    /// Writes as much as there is room for.
    func write(_ bytes: UnsafeRawBufferPointer) -> TLSSession.Step {
        while true {
            let count = SocketPlatform.send(descriptor, bytes.baseAddress, bytes.count)
            if count >= 0 { return .done(count) }
            if let step = stepAfterError(.wantsWrite) { return step }
        }
    }

    /// Whether there is something to read at once: data, the end, or an error.
    var isReadable: Bool {
        var entry = pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: POLLIN), revents: 0)
        return poll(&entry, 1, 0) != 0
    }

    /// What to do after a call failed; nil to repeat it.
    private func stepAfterError(_ wish: TLSSession.Step) -> TLSSession.Step? {
        switch errno {
        case EINTR: return nil
        case EAGAIN, EWOULDBLOCK: return wish
        default:
            isTruncated = true
            return .closed
        }
    }
}

/// `POLLIN` and `POLLOUT` in one type on every system.
let pollIn = Int32(POLLIN)
let pollOut = Int32(POLLOUT)

private func systemConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    connect(descriptor, address, length)
}
