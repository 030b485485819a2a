// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A TCP socket on a free loopback port.
enum LoopbackSocket {
    struct Unavailable: Error {
        let step: String
    }

    /// Binds a socket that does not listen yet, so that connections to its port are refused.
    /// - Parameter isIPv6: whether to bind ::1 instead of 127.0.0.1.
    static func bind(isIPv6: Bool) throws -> (descriptor: Int32, port: UInt16) {
        let descriptor = socket(isIPv6 ? AF_INET6 : AF_INET, streamType, 0)
        guard descriptor >= 0 else { throw Unavailable(step: "socket") }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var v4 = sockaddr_in()
        v4.sin_family = sa_family_t(AF_INET)
        v4.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        var v6 = sockaddr_in6()
        v6.sin6_family = sa_family_t(AF_INET6)
        v6.sin6_addr = in6addr_loopback
        let status = isIPv6 ? bind(descriptor, &v6) : bind(descriptor, &v4)
        var bound = sockaddr_storage()
        guard status == 0, name(descriptor, &bound) == 0 else {
            close(descriptor)
            throw Unavailable(step: "bind")
        }
        // The port is at the same offset in both address families.
        return (descriptor, withUnsafeBytes(of: &bound) { UInt16($0[2]) << 8 | UInt16($0[3]) })
    }

    private static func bind<Address>(_ descriptor: Int32, _ address: inout Address) -> Int32 {
        withUnsafeBytes(of: &address) { raw in
            raw.baseAddress.map {
                systemBind(descriptor, $0.assumingMemoryBound(to: sockaddr.self), socklen_t(raw.count))
            } ?? -1
        }
    }

    private static func name(_ descriptor: Int32, _ address: inout sockaddr_storage) -> Int32 {
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &address) { raw in
            raw.baseAddress.map { getsockname(descriptor, $0.assumingMemoryBound(to: sockaddr.self), &length) } ?? -1
        }
    }

    private static var streamType: Int32 {
        #if canImport(Glibc)
        // Not inherited by processes that a test starts concurrently.
        Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        #else
        SOCK_STREAM
        #endif
    }
}

private func systemBind(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    bind(descriptor, address, length)
}

/// A port of 127.0.0.1 that refuses connections during the lifetime of this value: its socket is bound but does not
/// listen.
package final class ReservedPort: Sendable {
    /// The port.
    package let port: UInt16
    private let descriptor: Int32

    /// Reserves a free port.
    package init() throws {
        (descriptor, port) = try LoopbackSocket.bind(isIPv6: false)
    }

    deinit { close(descriptor) }
}

/// Whether the loopback has an IPv6 address.
package func hasIPv6() -> Bool {
    guard let (descriptor, _) = try? LoopbackSocket.bind(isIPv6: true) else { return false }
    close(descriptor)
    return true
}

/// The number of open descriptors among the first ones of this process.
package func openDescriptors() -> Int {
    (0..<Int32(4096)).count { fcntl($0, F_GETFD) >= 0 }
}
