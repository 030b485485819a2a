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

/// The socket options that client and server use, and the names of sockets.
package enum SocketOptions {
    @discardableResult
    package static func set(_ descriptor: Int32, _ level: Int32, _ name: Int32, _ value: Int32) -> Bool {
        var value = value
        return setsockopt(descriptor, level, name, &value, socklen_t(MemoryLayout<Int32>.size)) == 0
    }

    /// A response leaves in one piece: there is nothing for Nagle's algorithm to gather.
    package static func disableDelay(_ descriptor: Int32) {
        set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    }

    /// How many bytes of responses the system holds for a connection that are not on their way yet. Without this bound
    /// it is megabytes: some thousand peers that don't read would take all memory that the system has for TCP, and
    /// everybody else would stall.
    package static let unsentLimit: Int32 = 128 << 10

    /// Holds the system to ``unsentLimit``.
    package static func limitUnsent(_ descriptor: Int32) {
        set(descriptor, Int32(IPPROTO_TCP), TCP_NOTSENT_LOWAT, unsentLimit)
    }

    /// Makes closing reset the connection, so that the peer can't take what it got for the whole.
    package static func resetOnClose(_ descriptor: Int32) {
        var option = linger(l_onoff: 1, l_linger: 0)
        _ = setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &option, socklen_t(MemoryLayout<linger>.size))
    }

    /// Sends the end of the stream; what the peer sends can still be read.
    package static func endSending(_ descriptor: Int32) {
        _ = shutdown(descriptor, Int32(SHUT_WR))
    }

    /// The value of an option; nil for what is no socket.
    package static func get(_ descriptor: Int32, _ level: Int32, _ name: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, level, name, &value, &length) == 0 ? value : nil
    }

    /// The peer's address and port in digits; nil when it is gone.
    package static func peer(of descriptor: Int32) -> String? {
        peerName(of: descriptor)?.description
    }

    /// The peer's address in digits and its port; nil when it is gone.
    package static func peerName(of descriptor: Int32) -> HostPort? {
        name { getpeername(descriptor, $0, $1) }
    }

    /// Has the system probe an idle connection, and end it when the peer does not answer within a time of at least 3 s.
    package static func keepAlive(_ descriptor: Int32, within span: Duration) {
        let step = Int32(clamping: max(1, span.components.seconds / 3))
        set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
        #if canImport(Darwin)
        set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPALIVE, step)
        #else
        set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPIDLE, step)
        // Sent data that is not acknowledged counts as well.
        set(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, Int32(clamping: span.components.seconds * 1000))
        #endif
        set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPINTVL, step)
        set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPCNT, 2)
    }

    /// The address and port, in digits, that a socket is bound to; nil for one that has no port.
    package static func localName(of descriptor: Int32) -> HostPort? {
        name { getsockname(descriptor, $0, $1) }
    }

    private static func name(
        _ ask: (UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> HostPort? {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutableBytes(of: &storage) { raw in
            guard let address = raw.bindMemory(to: sockaddr.self).baseAddress, ask(address, &length) == 0 else {
                return nil
            }
            return numericName(address, length)
        }
    }

    /// An address's host and port in digits; nil for an address that is not of IP.
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
