// SPDX-License-Identifier: MIT

package import WPHTTP

/// The address of a hub: `http` or `https`, a host, and optionally a port and a path that precedes `/metrics/node`.
public struct HubAddress: Sendable, Hashable, CustomStringConvertible {
    /// The path of pushes, relative to the origin's path.
    static let path = "/metrics/node"

    package let origin: HTTPOrigin

    /// Parses an address such as `https://hub.example:8082`. The default scheme is `http`, as in atlhyper's agents, and
    /// a trailing `/metrics/node` is removed.
    /// - Throws: ``Malformed``, whose message does not quote the text.
    public init(_ text: String) throws(Malformed) {
        guard !text.utf8.contains(UInt8(ascii: "@")) else {
            throw Malformed("it must not contain a user name or password (@); use node.hub_token_file")
        }
        var text = text.contains("://") ? text[...] : "http://\(text)"
        while text.hasSuffix("/") { text = text.dropLast() }
        if text.hasSuffix(Self.path) { text = text.dropLast(Self.path.count) }
        do throws(HTTPClientError) {
            origin = try HTTPOrigin(parsing: String(text))
        } catch {
            throw Malformed("it must be http:// or https://, a host, and optionally a port and a path")
        }
    }

    /// Whether the traffic can be read in transit.
    package var exposesTraffic: Bool { origin.scheme == .http && !Self.isLoopback(origin.host) }

    private static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host == "::1" || host.hasPrefix("127.")
    }

    /// The address as a URL, without a `/` at its end.
    public var description: String { origin.description }

    /// Why a string is not an address. Does not quote it, because it may contain a password.
    public struct Malformed: Error, Sendable, Hashable, CustomStringConvertible {
        /// What is wrong.
        public let description: String

        init(_ description: String) {
            self.description = description
        }
    }
}
