// SPDX-License-Identifier: MIT

#if os(Linux)
import CLinux
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Socket options and socket addresses for clients and servers.
package enum SocketOptions {
    @discardableResult
    package static func set(_ descriptor: Int32, level: Int32, name: Int32, to value: Int32) -> Bool {
        var value = value
        return setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size)) == 0
    }

    /// Disables Nagle's algorithm, because messages are written as a whole.
    package static func disableDelay(_ descriptor: Int32) {
        set(descriptor, level: Int32(IPPROTO_TCP), name: TCP_NODELAY, to: 1)
    }

    /// The maximum unsent bytes per connection in the system's buffers. With the default of several megabytes, a few
    /// thousand peers that do not read would exhaust the TCP memory and stall all others.
    package static let unsentLimit: Int32 = 128 << 10

    /// Applies ``unsentLimit``.
    package static func limitUnsent(_ descriptor: Int32) {
        set(descriptor, level: Int32(IPPROTO_TCP), name: TCP_NOTSENT_LOWAT, to: unsentLimit)
    }

    /// Makes closing reset the connection, so that the peer does not mistake a partial response for a complete one.
    package static func resetOnClose(_ descriptor: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        _ = setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// Shuts down the sending side; reading is still possible.
    package static func endSending(_ descriptor: Int32) {
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    /// The value of an option; nil if the descriptor is not a socket.
    package static func get(_ descriptor: Int32, level: Int32, name: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, level, name, &value, &length) == 0 ? value : nil
    }

    /// The peer's numeric address and port; nil if it has disconnected.
    package static func peer(of descriptor: Int32) -> String? {
        peerName(of: descriptor)?.description
    }

    /// The peer's numeric address and port; nil if it has disconnected.
    package static func peerName(of descriptor: Int32) -> HostPort? {
        name { getpeername(descriptor, $0, $1) }
    }

    /// Enables keep-alive: the system probes an idle connection, and closes it if the peer does not answer.
    /// - Parameter span: the time without an answer before the connection is closed; at least 3 s.
    package static func keepAlive(_ descriptor: Int32, within span: Duration) {
        let step = Int32(clamping: max(1, span.components.seconds / 3))
        set(descriptor, level: SOL_SOCKET, name: SO_KEEPALIVE, to: 1)
        #if canImport(Darwin)
        set(descriptor, level: Int32(IPPROTO_TCP), name: TCP_KEEPALIVE, to: step)
        #else
        set(descriptor, level: Int32(IPPROTO_TCP), name: TCP_KEEPIDLE, to: step)
        // Also limits the time without an acknowledgement of sent data.
        let timeout = Int32(clamping: span.components.seconds * 1000)
        set(descriptor, level: Int32(IPPROTO_TCP), name: TCP_USER_TIMEOUT, to: timeout)
        #endif
        set(descriptor, level: Int32(IPPROTO_TCP), name: TCP_KEEPINTVL, to: step)
        set(descriptor, level: Int32(IPPROTO_TCP), name: TCP_KEEPCNT, to: 2)
    }

    /// The numeric address and port that a socket is bound to; nil if it has no port.
    package static func localName(of descriptor: Int32) -> HostPort? {
        name { getsockname(descriptor, $0, $1) }
    }

    private static func name(
        _ query: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> HostPort? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &storage) { raw in
            guard let address = raw.bindMemory(to: sockaddr.self).baseAddress, query(address, &length) == 0 else {
                return nil
            }
            return numericName(address, length)
        }
    }

    /// The numeric host and port of an address; nil if it is not an IP address.
    static func numericName(_ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> HostPort? {
        guard [AF_INET, AF_INET6].contains(Int32(address.pointee.sa_family)) else { return nil }
        var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        var port = [CChar](repeating: 0, count: Int(NI_MAXSERV))
        let status = getnameinfo(
            address,
            length,
            &host,
            socklen_t(host.count),
            &port,
            socklen_t(port.count),
            NI_NUMERICHOST | NI_NUMERICSERV
        )
        guard status == 0, let number = Int(text(port)) else { return nil }
        return HostPort(host: text(host), port: number)
    }

    private static func text(_ characters: [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
