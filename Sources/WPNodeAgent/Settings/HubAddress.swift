// SPDX-License-Identifier: MIT

package import WPHTTP

/// The address of a hub: `http` or `https`, a host, and optionally a port and a path that precedes `/metrics/node`.
public struct HubAddress: Sendable, Hashable, CustomStringConvertible {
    /// Where pushes go, below the origin's path.
    static let path = "/metrics/node"

    package let origin: HTTPOrigin

    /// Reads an address such as `https://hub.example:8082`. One without a scheme is `http`, as agents of this kind have
    /// written it, and a path of `/metrics/node` at its end is left out.
    /// - Throws: ``Malformed``, whose sentence quotes nothing of the text.
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

    /// Whether what is sent there can be read on the way.
    package var isReadable: Bool { origin.scheme == .http && !Self.isLoopback(origin.host) }

    private static func isLoopback(_ host: String) -> Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host == "::1" || host.hasPrefix("127.")
    }

    /// The address as a URL, without a `/` at its end.
    public var description: String { origin.description }

    /// Why a text is not an address. It quotes nothing of the text, which may hold a password.
    public struct Malformed: Error, Sendable, Hashable, CustomStringConvertible {
        /// What is wrong.
        public let description: String

        init(_ description: String) {
            self.description = description
        }
    }
}
