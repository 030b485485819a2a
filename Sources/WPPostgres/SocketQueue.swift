// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Counts what arrives on a socket that libpq reads.
struct SocketQueue {
    private let descriptor: Int32
    private var seen: UInt64?

    /// The kernel's receive buffer in bytes. libpq reads a row for as long as bytes are waiting, so that a large buffer would let it
    /// read far beyond a limit before the next look at the counter.
    private static let bufferSize: Int32 = 128 << 10

    init(_ descriptor: Int32) {
        self.descriptor = descriptor
        var size = Self.bufferSize
        // Without effect on a socket that does not support it, where the limit is found later.
        _ = setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout.size(ofValue: size)))
        seen = Self.total(descriptor)
    }

    /// The bytes that have arrived since the last call. Where the system does not count them, as on a Unix socket, those that
    /// wait to be read.
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

    /// All bytes that were received on a TCP connection; nil where that is not known.
    private static func total(_ descriptor: Int32) -> UInt64? {
        #if os(Linux)
        // `tcpi_bytes_received` of `struct tcp_info` (linux/tcp.h), which the C library's header does not have.
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
