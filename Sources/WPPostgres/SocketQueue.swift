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
