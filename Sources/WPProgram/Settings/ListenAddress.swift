// SPDX-License-Identifier: MIT

package import WPSockets

/// An address to listen on: `192.0.2.1:9100`, `[::1]:9100`, or `:9100` for all addresses.
package struct ListenAddress: Sendable, Hashable, CustomStringConvertible {
    /// A name or an address; empty for all addresses.
    package let host: String
    /// 0 to 65535.
    package let port: Int

    /// Parses an address; nil if it is invalid.
    package init?(_ text: String) {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        var host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
        } else if host.contains(where: { $0 == ":" || $0 == "[" || $0 == "]" }) {
            return nil
        }
        (self.host, self.port) = (String(host), Int(port))
    }

    /// The address in the format that ``init(_:)`` parses.
    package var description: String { host.isEmpty ? ":\(port)" : pair.description }

    /// The address with an explicit host.
    package var pair: HostPort { HostPort(host: host.isEmpty ? "0.0.0.0" : host, port: port) }
}
