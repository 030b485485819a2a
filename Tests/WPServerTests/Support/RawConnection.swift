// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An error on the test's side of a connection.
struct ClientFailure: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}

/// A blocking TCP connection that knows nothing of HTTP, with a deadline per call. Used on a separate thread.
final class RawConnection {
    enum Family { case v4, v6 }

    static let maximumWait: Int32 = 60_000

    let descriptor: Int32
    private var received: [UInt8] = []

    /// - Parameter loopback: the address for `v4`, in host byte order.
    init(
        port: Int,
        family: Family = .v4,
        loopback: UInt32 = 0x7F00_0001,
        receiveBuffer: Int32? = nil
    ) throws {
        #if canImport(Glibc)
        // A process started by another test must not inherit it: the connection would stay open after closing.
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        #else
        let type = SOCK_STREAM
        #endif
        descriptor = socket(family == .v4 ? AF_INET : AF_INET6, type, 0)
        guard descriptor >= 0 else { throw ClientFailure("socket: \(errno)") }
        // So that separate writes are sent separately and immediately.
        var on: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, socklen_t(MemoryLayout<Int32>.size))
        if var receiveBuffer {
            setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &receiveBuffer, socklen_t(MemoryLayout<Int32>.size))
        }
        let status: Int32
        switch family {
        case .v4:
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = in_port_t(port).bigEndian
            address.sin_addr.s_addr = in_addr_t(loopback).bigEndian
            status = withUnsafeBytes(of: &address) { Self.connect(descriptor, $0) }
        case .v6:
            var address = sockaddr_in6()
            address.sin6_family = sa_family_t(AF_INET6)
            address.sin6_port = in_port_t(port).bigEndian
            address.sin6_addr = in6addr_loopback
            status = withUnsafeBytes(of: &address) { Self.connect(descriptor, $0) }
        }
        // A failure from here on closes the descriptor, because the object is initialized.
        guard status == 0 else { throw ClientFailure("connect: \(errno)") }
    }

    deinit { close(descriptor) }

    func send(_ text: String) throws { try send(Array(text.utf8)) }

    func send(_ bytes: [UInt8]) throws {
        var offset = 0
        while offset < bytes.count {
            #if os(Linux)
            let flags = Int32(MSG_NOSIGNAL)
            #else
            let flags: Int32 = 0
            #endif
            let count = bytes.withUnsafeBytes { systemSend(descriptor, $0, offset, flags) }
            guard count > 0 else { throw ClientFailure("send: \(errno)") }
            offset += count
        }
    }

    /// Closes the sending side; receiving continues.
    func endSending() { _ = shutdown(descriptor, Int32(SHUT_WR)) }

    /// Makes closing reset the connection.
    func resetOnClose() {
        var option = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// Whether anything, including the end, arrives within this many milliseconds.
    func isReadable(within milliseconds: Int32) -> Bool {
        if !received.isEmpty { return true }
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&entry, 1, milliseconds) > 0
    }

    /// Some bytes; empty at the end. A reset is an error.
    func receive() throws -> [UInt8] {
        if !received.isEmpty {
            defer { received = [] }
            return received
        }
        guard isReadable(within: Self.maximumWait) else { throw ClientFailure("nothing arrived in time") }
        var buffer = [UInt8](repeating: 0, count: 64 << 10)
        let count = recv(descriptor, &buffer, buffer.count, 0)
        guard count >= 0 else { throw ClientFailure("recv: \(errno)") }
        return Array(buffer[..<count])
    }

    /// Everything until the peer closes.
    func receiveToEnd() throws -> [UInt8] {
        var all: [UInt8] = []
        while true {
            let bytes = try receive()
            if bytes.isEmpty { return all }
            all += bytes
        }
    }

    func putBack(_ bytes: [UInt8]) { received = bytes + received }

    /// Whether the peer closes or resets without sending anything more.
    func isClosedByPeer() -> Bool {
        guard isReadable(within: Self.maximumWait) else { return false }
        return ((try? receive()) ?? []).isEmpty
    }

    private static func connect(_ descriptor: Int32, _ address: UnsafeRawBufferPointer) -> Int32 {
        guard let pointer = address.bindMemory(to: sockaddr.self).baseAddress else { return -1 }
        return systemConnect(descriptor, pointer, socklen_t(address.count))
    }
}

private func systemConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    connect(descriptor, address, length)
}

private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ offset: Int, _ flags: Int32) -> Int {
    send(descriptor, bytes.baseAddress.map { $0 + offset }, bytes.count - offset, flags)
}
