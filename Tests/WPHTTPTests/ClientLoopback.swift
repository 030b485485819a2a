// SPDX-License-Identifier: MIT

@testable import WPHTTP

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Binds a socket to a free port of a loopback address.
/// - Parameter listens: whether it takes connections; else it refuses them.
func bindLoopback(_ host: String, listens: Bool) throws -> (descriptor: Int32, port: UInt16) {
    guard let address = try SocketAddress.lookUp(host, port: 0, numericOnly: true).first else {
        throw ClientTestServer.Unavailable(step: "address")
    }
    let descriptor = socket(address.family, SocketPlatform.streamType, 0)
    var bound = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let status = address.withSockaddr { pointer, size -> Int32 in
        guard bind(descriptor, pointer, size) == 0, !listens || listen(descriptor, 64) == 0 else { return -1 }
        return withUnsafeMutableBytes(of: &bound) { raw in
            getsockname(descriptor, raw.baseAddress?.assumingMemoryBound(to: sockaddr.self), &length)
        }
    }
    guard status == 0 else {
        close(descriptor)
        throw ClientTestServer.Unavailable(step: "bind")
    }
    // The port lies at the same place in both families' addresses.
    return (descriptor, withUnsafeBytes(of: &bound) { UInt16($0[2]) << 8 | UInt16($0[3]) })
}

/// A port of 127.0.0.1 that refuses connections while this value lives: a socket has it, and does not listen.
final class ReservedPort: Sendable {
    let port: UInt16
    private let descriptor: Int32

    init() throws {
        (descriptor, port) = try bindLoopback("127.0.0.1", listens: false)
    }

    deinit { close(descriptor) }
}

/// Whether the loopback has an IPv6 address.
func hasIPv6() -> Bool {
    guard let (descriptor, _) = try? bindLoopback("::1", listens: false) else { return false }
    close(descriptor)
    return true
}

/// How many of the first descriptors of this process are open.
func openDescriptors() -> Int {
    (0..<Int32(4096)).count { fcntl($0, F_GETFD) >= 0 }
}
