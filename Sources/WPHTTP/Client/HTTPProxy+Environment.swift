// SPDX-License-Identifier: MIT

import WPSockets

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

extension HTTPProxy {
    /// Returns the proxy for an origin according to the environment variables that most command-line tools use.
    ///
    /// `http_proxy` is for HTTP, `https_proxy` or `HTTPS_PROXY` for HTTPS, and `all_proxy` or `ALL_PROXY` is the
    /// fallback. `HTTP_PROXY` is ignored: in a CGI environment a client can set it. `no_proxy` or `NO_PROXY` lists
    /// exceptions, separated by commas: a name, which includes its subdomains, or with a leading dot only the
    /// subdomains; an address; a network such as `10.0.0.0/8`; the first two optionally with a port; or an asterisk.
    /// Local addresses are never proxied.
    /// - Parameters:
    ///   - environment: the environment variables. Empty values are treated as unset.
    ///   - origin: the origin of requests.
    /// - Returns: the proxy; nil for a direct connection.
    /// - Throws: ``HTTPClientError/Code/invalidRequest`` if the variable does not contain a valid URL.
    public static func named(
        in environment: [String: String],
        for origin: HTTPOrigin
    ) throws(HTTPClientError) -> HTTPProxy? {
        func first(of names: [String]) -> (name: String, value: String)? {
            for name in names {
                if let value = environment[name], !value.isEmpty { return (name, value) }
            }
            return nil
        }
        let own = origin.scheme == .http ? ["http_proxy"] : ["https_proxy", "HTTPS_PROXY"]
        guard let (name, url) = first(of: own + ["all_proxy", "ALL_PROXY"]) else { return nil }
        let exceptions = first(of: ["no_proxy", "NO_PROXY"])?.value ?? ""
        guard !isLocal(origin.host), !exceptions.split(separator: ",").contains(where: { covers($0, origin) }) else {
            return nil
        }
        do throws(HTTPClientError) {
            return try HTTPProxy(parsing: url)
        } catch {
            throw HTTPClientError(code: error.code, message: "In the environment variable \(name): \(error.message)")
        }
    }

    private static func isLocal(_ host: String) -> Bool {
        SocketAddress.isLocalhost(host)
            || addressBytes(host).map { $0.count == 4 ? $0[0] == 127 : host == "::1" } == true
    }

    /// Whether an element of `no_proxy` covers an origin.
    private static func covers(_ element: Substring, _ origin: HTTPOrigin) -> Bool {
        var pattern = String(element).trimmingBlanks().lowercased()
        if pattern == "*" { return true }
        if pattern.contains("/") { return isInNetwork(origin.host, pattern) }
        if addressBytes(pattern) == nil, !pattern.hasSuffix("]"), let colon = pattern.lastIndex(of: ":") {
            let port = pattern[pattern.index(after: colon)...]
            guard port == String(origin.port) else { return false }
            pattern = String(pattern[..<colon])
        }
        if pattern.hasPrefix("["), pattern.hasSuffix("]") { pattern = String(pattern.dropFirst().dropLast()) }
        if let address = addressBytes(pattern) { return address == addressBytes(origin.host) }
        if pattern.hasPrefix("*.") { pattern.removeFirst() }
        if pattern.hasPrefix(".") { return pattern.count > 1 && origin.host.hasSuffix(pattern) }
        return !pattern.isEmpty && (origin.host == pattern || origin.host.hasSuffix(".\(pattern)"))
    }

    private static func isInNetwork(_ host: String, _ network: String) -> Bool {
        let parts = network.split(separator: "/", omittingEmptySubsequences: false)
        guard
            parts.count == 2, let length = HTTPSyntax.decimal(parts[1].utf8),
            let base = addressBytes(String(parts[0])), let address = addressBytes(host),
            base.count == address.count, length <= base.count * 8
        else { return false }
        return base.indices.allSatisfy { index in
            let bits = min(8, max(0, length - index * 8))
            let mask = UInt8(truncatingIfNeeded: 0xFF00 >> bits)
            return (base[index] ^ address[index]) & mask == 0
        }
    }

    /// The 4 or 16 bytes of an IP address; nil for any other text.
    private static func addressBytes(_ host: String) -> [UInt8]? {
        var v4 = in_addr()
        if inet_pton(AF_INET, host, &v4) == 1 { return withUnsafeBytes(of: v4) { [UInt8]($0) } }
        var v6 = in6_addr()
        if inet_pton(AF_INET6, host, &v6) == 1 { return withUnsafeBytes(of: v6) { [UInt8]($0) } }
        return nil
    }
}
