// SPDX-License-Identifier: MIT

import WPCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The origin of requests: scheme, host, port and base path.
public struct HTTPOrigin: Sendable, Hashable, CustomStringConvertible {
    /// The scheme of a URL.
    package enum Scheme: String, Sendable, Hashable, CaseIterable {
        /// HTTP over TCP.
        case http
        /// HTTP over TLS.
        case https

        /// The default port: 80 or 443.
        package var defaultPort: UInt16 { self == .http ? 80 : 443 }
    }

    /// The scheme.
    package let scheme: Scheme
    /// The host in lower case: a name, an IPv4 address, or an IPv6 address without its brackets.
    public let host: String
    /// The port, 1 to 65535.
    public let port: UInt16
    /// The base path: empty, or a percent-encoded absolute path without a trailing slash.
    package let basePath: String

    /// Parses a URL such as `https://ups.example:8081/winpower`.
    ///
    /// Rejects a user name, password, query or fragment. An IPv6 address needs brackets (RFC 3986, section 3.2.2),
    /// without a zone.
    /// - Throws: ``HTTPClientError/Code/invalidRequest``; the message quotes the URL unless it may contain a password.
    public init(parsing url: String) throws(HTTPClientError) {
        func fault(_ reason: String) -> HTTPClientError {
            let shown = url.utf8.contains(UInt8(ascii: "@")) || url.utf8.count > 256 ? "The URL" : "The URL \"\(url)\""
            return HTTPClientError(code: .invalidRequest, message: "\(shown) cannot be used: \(reason).")
        }
        guard url.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw fault("it contains a space, a control character or a non-ASCII character; percent-encode it")
        }
        guard let colon = url.firstRange(of: "://"),
            let scheme = Scheme(rawValue: url[..<colon.lowerBound].lowercased())
        else { throw fault("it does not start with http:// or https://") }
        let rest = url[colon.upperBound...]
        let authority = rest.prefix { !"/?#".contains($0) }
        let path = rest[authority.endIndex...]
        guard !authority.contains("@") else {
            throw fault("it contains a user name or password; set those separately")
        }
        guard !path.contains(where: { "?#".contains($0) }) else { throw fault("it has a query or a fragment") }
        guard Self.isPath(path) else { throw fault("its path is not percent-encoded") }
        guard let (host, port) = Self.split(authority) else { throw fault("its host or port is not valid") }
        self.scheme = scheme
        self.host = host.lowercased()
        guard let port else {
            self.port = scheme.defaultPort
            basePath = Self.withoutTrailingSlashes(path)
            return
        }
        guard let number = UInt16(port), number > 0, port.utf8.allSatisfy(HTTPSyntax.isDigit) else {
            throw fault("its port is not a number from 1 to 65535")
        }
        self.port = number
        basePath = Self.withoutTrailingSlashes(path)
    }

    /// The value of the Host field: the host and a non-default port (RFC 9110, section 7.2).
    package var authority: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return port == scheme.defaultPort ? name : "\(name):\(port)"
    }

    /// The URL without a trailing slash.
    public var description: String { "\(scheme.rawValue)://\(authority)\(basePath)" }

    /// Splits `host`, `host:port`, `[v6]` or `[v6]:port`; nil if the host is invalid.
    private static func split(_ authority: Substring) -> (host: Substring, port: Substring?)? {
        if authority.hasPrefix("[") {
            guard let bracket = authority.firstIndex(of: "]") else { return nil }
            let host = authority[authority.index(after: authority.startIndex)..<bracket]
            let rest = authority[authority.index(after: bracket)...]
            var address = in6_addr()
            guard inet_pton(AF_INET6, String(host), &address) == 1 else { return nil }
            guard !rest.isEmpty else { return (host, nil) }
            return rest.hasPrefix(":") ? (host, rest.dropFirst()) : nil
        }
        let host = authority.prefix { $0 != ":" }
        let rest = authority[host.endIndex...]
        guard
            (1...253).contains(host.utf8.count),
            host.utf8.allSatisfy({ HTTPSyntax.hostName.contains($0) }),
            !host.hasPrefix("."), !host.hasPrefix("-"), !host.contains("..")
        else { return nil }
        return (host, rest.isEmpty ? nil : rest.dropFirst())
    }

    private static func isPath(_ path: Substring) -> Bool {
        path.utf8.allSatisfy { HTTPSyntax.target.contains($0) } && PercentEncoding.decode(path.utf8) != nil
    }

    private static func withoutTrailingSlashes(_ path: Substring) -> String {
        var path = path
        while path.hasSuffix("/") { path = path.dropLast() }
        return String(path)
    }
}

extension HTTPSyntax {
    /// The characters of DNS names and IPv4 addresses, and the underscore that some local networks use.
    fileprivate static let hostName = ASCIISet(alphanumeric + "-._")
}
