// SPDX-License-Identifier: MIT

import WPCore
import WPProgram

/// The address of a WinPower server: `http` or `https`, a host, and optionally a port and a path.
///
/// Credentials, a query and a fragment are rejected, so that printing the address never prints a password.
public struct WinPowerURL: Sendable, Hashable, CustomStringConvertible {
    /// The protocol.
    package enum Scheme: String, Sendable, Hashable, CaseIterable {
        /// Unencrypted.
        case http
        /// Over TLS.
        case https
    }

    /// The protocol.
    package let scheme: Scheme
    /// A host name, an IPv4 address, or an IPv6 address without brackets.
    package let host: String
    /// The port, 1 to 65535; nil for the scheme's default.
    package let port: Int?
    /// The prefix of the API paths: empty, or a path that starts with `/` and does not end with it.
    package let path: String

    /// Parses an address.
    /// - Throws: ``Malformed``, whose message does not quote the text.
    public init(_ text: String) throws(Malformed) {
        guard !text.utf8.contains(UInt8(ascii: "@")) else {
            throw Malformed(
                "it must not contain a user name or password (@); use winpower.username and winpower.password"
            )
        }
        guard let separator = text.firstRange(of: "://"),
            let scheme = Scheme(rawValue: text[..<separator.lowerBound].lowercased())
        else { throw Malformed("it must begin with http:// or https://") }
        guard !text.utf8.contains(UInt8(ascii: "?")), !text.utf8.contains(UInt8(ascii: "#")) else {
            throw Malformed("it must not have a query (?) or fragment (#)")
        }
        let rest = text[separator.upperBound...]
        let authority = rest.prefix { $0 != "/" }
        var path = rest.dropFirst(authority.count)
        while path.hasSuffix("/") { path = path.dropLast() }
        guard path.utf8.allSatisfy(Self.isPathByte) else {
            throw Malformed("its path has a character that must be percent-encoded")
        }
        self.scheme = scheme
        self.path = String(path)
        (host, port) = try Self.hostAndPort(authority)
    }

    private static func hostAndPort(_ authority: Substring) throws(Malformed) -> (String, Int?) {
        var host = authority
        var portText: Substring?
        if authority.first == "[" {
            guard let end = authority.firstIndex(of: "]") else { throw Malformed("its [ is never closed") }
            host = authority[authority.index(after: authority.startIndex)..<end]
            let rest = authority[authority.index(after: end)...]
            guard rest.isEmpty || rest.first == ":" else { throw Malformed("only a port may follow the ]") }
            portText = rest.isEmpty ? nil : rest.dropFirst()
            guard host.contains(":"), host.utf8.allSatisfy(isIPv6Byte) else {
                throw Malformed("there must be an IPv6 address between [ and ]")
            }
        } else {
            if let colon = authority.firstIndex(of: ":") {
                host = authority[..<colon]
                portText = authority[authority.index(after: colon)...]
            }
            guard !host.isEmpty else { throw Malformed("it has no host") }
            guard host.utf8.allSatisfy(isNameByte) else {
                throw Malformed("its host may only have letters, digits, dots, dashes and underscores")
            }
        }
        guard let portText else { return (String(host), nil) }
        guard let port = Int(digits: portText), (1...65535).contains(port) else {
            throw Malformed("its port must be a number from 1 to 65535")
        }
        return (String(host), port)
    }

    static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_"): true
        default: false
        }
    }

    private static func isIPv6Byte(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66, UInt8(ascii: ":"), UInt8(ascii: "."): true
        default: false
        }
    }

    /// `pchar` or `/` of RFC 3986, 3.3.
    static func isPathByte(_ byte: UInt8) -> Bool {
        isNameByte(byte) || "~!$&'()*+,;=:@%/".utf8.contains(byte)
    }

    /// Whether the host is this machine, by name or address.
    var isLoopback: Bool { Loopback.contains(host) }

    /// The address as a URL, without a `/` at its end.
    public var description: String {
        let name = host.contains(":") ? "[\(host)]" : host
        return "\(scheme.rawValue)://\(name)\(port.map { ":\($0)" } ?? "")\(path)"
    }

    /// Why a string is not an address. Does not quote it, because it may contain a password.
    public struct Malformed: Error, Sendable, Hashable, CustomStringConvertible {
        /// What is wrong.
        public let description: String

        init(_ description: String) {
            self.description = description
        }
    }
}
