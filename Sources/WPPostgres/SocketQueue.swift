// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Counts the bytes received on libpq's socket.
struct SocketQueue {
    private let descriptor: Int32
    private var seen: UInt64?

    /// The kernel's receive buffer in bytes. libpq reads while bytes are waiting, so a large buffer would let it read
    /// far beyond the limit between checks.
    private static let bufferSize: Int32 = 128 << 10

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        var size = Self.bufferSize
        // Has no effect on sockets without support, where the limit is detected later.
        _ = setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout.size(ofValue: size)))
        seen = Self.total(descriptor)
    }

    /// The bytes received since the last call, or the unread bytes if the system does not count them, as on a Unix
    /// socket.
    mutating func arrived() -> Int {
        if let seen, let total = Self.total(descriptor) {
            self.seen = total
            return Int(clamping: total &- seen)
        }
        var count: Int32 = 0
        #if canImport(Darwin)
        // FIONREAD, a macro that Swift does not import: _IOR('f', 127, int).
        let request: UInt = 0x4004_667F
        #else
        let request = UInt(FIONREAD)
        #endif
        return ioctl(descriptor, request, &count) == 0 ? Int(count) : 0
    }

    /// All bytes received on a TCP connection; nil if unknown.
    private static func total(_ descriptor: Int32) -> UInt64? {
        #if os(Linux)
        // `tcpi_bytes_received` of `struct tcp_info` (linux/tcp.h), which the C library's header lacks.
        let offset = 128
        var information = [UInt8](repeating: 0, count: offset + 8)
        var length = socklen_t(information.count)
        guard getsockopt(descriptor, Int32(IPPROTO_TCP), TCP_INFO, &information, &length) == 0,
            Int(length) == information.count
        else { return nil }
        return information.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
        #else
        return nil
        #endif
    }
}
