// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A host and a port, written with brackets around an IPv6 address.
public struct HostPort: Sendable, Hashable, CustomStringConvertible {
    /// A name, an IPv4 address, or an IPv6 address without brackets.
    public var host: String
    /// 0 to 65535.
    public var port: Int

    /// Creates a pair.
    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// `name:80`, or `[::1]:80`.
    public var description: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }

    /// The address for local clients of a server that listens on this one: `0.0.0.0` and `::` become the loopback
    /// address of their family.
    public var forLocalClient: HostPort {
        var v4 = in_addr()
        var v6 = in6_addr()
        if inet_pton(AF_INET, host, &v4) == 1 {
            return isZero(v4) ? HostPort(host: "127.0.0.1", port: port) : self
        }
        if inet_pton(AF_INET6, host, &v6) == 1 {
            return isZero(v6) ? HostPort(host: "::1", port: port) : self
        }
        return self
    }

    private func isZero<Address>(_ address: Address) -> Bool {
        withUnsafeBytes(of: address) { $0.allSatisfy { $0 == 0 } }
    }
}
