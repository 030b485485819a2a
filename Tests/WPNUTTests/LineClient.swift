// SPDX-License-Identifier: MIT

import Dispatch
import WPSockets

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A client over a blocking socket, for tests. Every call has a time limit.
///
/// Unchecked because a test uses it from one thread at a time.
final class LineClient: @unchecked Sendable {
    struct Failure: Error {
        var call: String
        var code: Int32
    }

    let descriptor: Int32
    private var received: [UInt8] = []

    /// - Parameter isIPv6: whether to connect to `::1` rather than `127.0.0.1`.
    init(port: Int, isIPv6: Bool = false) throws {
        descriptor = SocketPlatform.makeStreamSocket(family: isIPv6 ? AF_INET6 : AF_INET)
        guard descriptor >= 0 else { throw Failure(call: "socket", code: errno) }
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) & ~O_NONBLOCK)
        var limit = timeval(tv_sec: 60, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var address6 = sockaddr_in6()
        address6.sin6_family = sa_family_t(AF_INET6)
        address6.sin6_port = in_port_t(port).bigEndian
        address6.sin6_addr = in6addr_loopback
        let status =
            isIPv6
            ? withUnsafeBytes(of: &address6) { Self.connect(descriptor, $0) }
            : withUnsafeBytes(of: &address) { Self.connect(descriptor, $0) }
        guard status == 0 else { throw Failure(call: "connect", code: errno) }
    }

    deinit { close(descriptor) }

    /// Whether this machine has the address `::1`.
    static var hasIPv6: Bool {
        let descriptor = SocketPlatform.makeStreamSocket(family: AF_INET6)
        guard descriptor >= 0 else { return false }
        defer { close(descriptor) }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_addr = in6addr_loopback
        return withUnsafeBytes(of: &address) { raw in
            raw.bindMemory(to: sockaddr.self).baseAddress.map { bind(descriptor, $0, socklen_t(raw.count)) == 0 }
                ?? false
        }
    }

    private static func connect(_ descriptor: Int32, _ address: UnsafeRawBufferPointer) -> Int32 {
        address.bindMemory(to: sockaddr.self).baseAddress.map {
            systemConnect(descriptor, $0, socklen_t(address.count))
        } ?? -1
    }

    func send(_ text: String) throws {
        let bytes = Array(text.utf8)
        let count = bytes.withUnsafeBytes { SocketPlatform.send(descriptor, $0.baseAddress, $0.count) }
        guard count == bytes.count else { throw Failure(call: "send", code: errno) }
    }

    /// The next line without its line feed; nil at the end.
    func line() throws -> String? {
        while true {
            if let end = received.firstIndex(of: 0x0A) {
                defer { received.removeSubrange(...end) }
                return String(decoding: received[..<end], as: UTF8.self)
            }
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = recv(descriptor, &buffer, buffer.count, 0)
            if count == 0 || (count < 0 && errno == ECONNRESET) { return nil }
            guard count > 0 else { throw Failure(call: "recv", code: errno) }
            received += buffer[..<count]
        }
    }

    /// Sends a line and reads the reply's first line.
    func ask(_ text: String) throws -> String? {
        try send(text + "\n")
        return try line()
    }
}

/// Runs blocking code on its own thread.
func blocking<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        DispatchQueue.global().async { continuation.resume(with: Result { try body() }) }
    }
}

private func systemConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    connect(descriptor, address, length)
}
