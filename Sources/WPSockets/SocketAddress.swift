// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An IPv4 or IPv6 address with a port, in the format of system calls.
package struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
    /// `AF_INET` or `AF_INET6`.
    package let family: Int32
    private let bytes: [UInt8]

    package init(family: Int32, bytes: [UInt8]) {
        self.family = family
        self.bytes = bytes
    }

    /// Calls a function with the address as `sockaddr`.
    func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result?) -> Result? {
        bytes.withUnsafeBytes { raw in
            raw.bindMemory(to: sockaddr.self).baseAddress.flatMap { body($0, socklen_t(raw.count)) }
        }
    }

    /// Binds a socket to the address.
    /// - Returns: whether it succeeded; if not, `errno` is set.
    package func bind(_ descriptor: Int32) -> Bool {
        withSockaddr { systemBind(descriptor, $0, $1) } == 0
    }

    /// The numeric address, without the port.
    package var description: String {
        withSockaddr { SocketOptions.numericName($0, $1)?.host } ?? "an address of family \(family)"
    }

    /// Resolves a name. Blocks until the system's resolver answers.
    ///
    /// `localhost` and its subdomains resolve to the loopback addresses, regardless of the system's resolver (RFC 6761,
    /// section 6.3).
    /// - Parameters:
    ///   - isPassive: whether the address is for listening. The IPv4 address of `localhost` then comes first.
    ///   - numericOnly: whether to accept only numeric addresses, and so never block.
    /// - Returns: the addresses in the system's order of preference (RFC 6724), at most 16.
    /// - Throws: ``SocketFault`` with ``SocketFault/Kind/resolve``.
    package static func lookUp(
        _ host: String,
        port: UInt16,
        isPassive: Bool = false,
        numericOnly: Bool = false
    ) throws(SocketFault) -> [SocketAddress] {
        if isLocalhost(host) {
            let names = isPassive ? ["127.0.0.1", "::1"] : ["::1", "127.0.0.1"]
            var addresses: [SocketAddress] = []
            for name in names { addresses += try resolve(name, port: port, flags: AI_NUMERICHOST) }
            return addresses
        }
        return try resolve(host, port: port, flags: (numericOnly ? AI_NUMERICHOST : 0) | (isPassive ? AI_PASSIVE : 0))
    }

    /// Whether a name is `localhost` or a subdomain of it, with or without a trailing dot.
    package static func isLocalhost(_ host: String) -> Bool {
        var name = host.lowercased()
        if name.hasSuffix(".") { name.removeLast() }
        return name == "localhost" || name.hasSuffix(".localhost")
    }

    private static func resolve(_ host: String, port: UInt16, flags: Int32) throws(SocketFault) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = SocketPlatform.streamType
        hints.ai_flags = AI_NUMERICSERV | flags
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &list)
        guard status == 0 else {
            let detail = status == EAI_SYSTEM ? systemReason() : String(cString: gai_strerror(status))
            let reason = "the name \(host) cannot be resolved (\(detail)); check the name and the DNS"
            throw SocketFault(.resolve, reason, detail: detail)
        }
        defer { freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = list
        while let entry = next?.pointee, addresses.count < 16 {
            next = entry.ai_next
            guard let address = entry.ai_addr else { continue }
            let raw = UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen))
            let found = SocketAddress(family: entry.ai_family, bytes: [UInt8](raw))
            if !addresses.contains(found) { addresses.append(found) }
        }
        guard !addresses.isEmpty else {
            throw SocketFault(.resolve, "the name \(host) has no address; check the name and the DNS")
        }
        return addresses
    }
}

/// The system call, whose name ``SocketAddress/bind(_:)`` shadows.
private func systemBind(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    bind(descriptor, address, length)
}
