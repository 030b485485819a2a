// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// What the system has received on a socket and nobody has read.
enum SocketQueue {
    /// Keeps the queue short. libpq reads on for as long as it finds something, and only between its reads is there a
    /// chance to see that it has read too much.
    static func shorten(_ descriptor: Int32) {
        var size: Int32 = 16 << 10
        _ = setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    }

    /// The number of bytes; 0 where the system does not say.
    static func count(_ descriptor: Int32) -> Int {
        var count: Int32 = 0
        #if canImport(Darwin)
        // FIONREAD, a macro that Swift does not import: _IOR('f', 127, int).
        let request: UInt = 0x4004_667F
        #else
        let request = UInt(FIONREAD)
        #endif
        return ioctl(descriptor, request, &count) == 0 ? Int(count) : 0
    }
}
