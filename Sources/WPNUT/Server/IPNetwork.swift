// SPDX-License-Identifier: MIT

import WPCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A network of IPv4 or IPv6 addresses, such as `10.0.0.0/8`, or a single address.
public struct IPNetwork: Sendable, Hashable, CustomStringConvertible {
    private let bytes: [UInt8]
    private let prefix: Int
    /// The text it was parsed from.
    public let description: String

    /// Parses a network.
    /// - Parameter text: an address, optionally followed by `/` and the prefix length.
    /// - Returns: nil for any other text.
    public init?(_ text: String) {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        guard (1...2).contains(parts.count), let address = Self.bytes(of: String(parts[0])) else { return nil }
        var prefix = address.count * 8
        if parts.count == 2 {
            guard let number = Int(digits: parts[1]), number <= prefix else { return nil }
            prefix = number
        }
        bytes = address
        self.prefix = prefix
        description = text
    }

    /// Whether a numeric address belongs to the network. IPv4-mapped IPv6 addresses are treated as IPv4.
    public func contains(_ address: String) -> Bool {
        guard let other = Self.bytes(of: address), other.count == bytes.count else { return false }
        for index in bytes.indices {
            let bits = min(8, max(0, prefix - index * 8))
            let mask = UInt8(truncatingIfNeeded: 0xFF00 >> bits)
            if bits > 0, (bytes[index] ^ other[index]) & mask != 0 { return false }
        }
        return true
    }

    /// The loopback addresses.
    package static let loopback = [IPNetwork("127.0.0.0/8"), IPNetwork("::1")].compactMap(\.self)

    private static func bytes(of text: String) -> [UInt8]? {
        var v4 = in_addr()
        if inet_pton(AF_INET, text, &v4) == 1 { return withUnsafeBytes(of: &v4) { [UInt8]($0) } }
        var v6 = in6_addr()
        // Link-local addresses end with the interface name.
        guard inet_pton(AF_INET6, String(text.prefix { $0 != "%" }), &v6) == 1 else { return nil }
        let bytes = withUnsafeBytes(of: &v6) { [UInt8]($0) }
        let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
        return isMapped ? Array(bytes[12...]) : bytes
    }
}
