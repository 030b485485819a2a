// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// An IPv4 or IPv6 address with a port, as the system's calls take it.
struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
    /// `AF_INET` or `AF_INET6`.
    let family: Int32
    private let bytes: [UInt8]

    private init(family: Int32, bytes: [UInt8]) {
        self.family = family
        self.bytes = bytes
    }

    /// Calls a function with the address as `sockaddr`.
    func withSockaddr<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result?) -> Result? {
        bytes.withUnsafeBytes { raw in
            raw.bindMemory(to: sockaddr.self).baseAddress.flatMap { body($0, socklen_t(raw.count)) }
        }
    }

    /// The address in digits, without the port.
    var description: String {
        var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        let status = withSockaddr { getnameinfo($0, $1, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) }
        guard status == 0 else { return "an address of family \(family)" }
        return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    /// Looks a name up, blocking for as long as the system's resolver likes.
    /// - Parameter numericOnly: refuses whatever is not an address in digits, and so never blocks.
    /// - Returns: the addresses in the system's order of preference (RFC 6724), at most 16.
    /// - Throws: ``HTTPClientError/Code/resolve``.
    static func lookUp(
        _ host: String,
        port: UInt16,
        numericOnly: Bool = false
    ) throws(ClientFault) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = SocketPlatform.streamType
        hints.ai_flags = AI_NUMERICSERV | (numericOnly ? AI_NUMERICHOST : 0)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &list)
        guard status == 0 else {
            let reason = status == EAI_SYSTEM ? systemReason() : String(cString: gai_strerror(status))
            throw ClientFault(.resolve, "the name \(host) can't be looked up (\(reason)); check the name and the DNS")
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
            throw ClientFault(.resolve, "the name \(host) has no address; check the name and the DNS")
        }
        return addresses
    }
}
