// SPDX-License-Identifier: MIT

package import WPModel

/// Removes passwords from texts of libpq and of the server before anybody sees them.
package struct SecretScrubber: Sendable, CustomStringConvertible, CustomReflectable {
    private let secrets: [Secret]

    /// - Parameter secrets: what must not be seen, also escaped as in URLs and JSON. Texts of fewer than four bytes
    ///   are left in place, because they would also be found in ordinary words.
    package init(_ secrets: [Secret]) {
        // The longest first, since one may be a part of another.
        self.secrets = secrets.filter { $0.reveal().utf8.count >= 4 }.sorted {
            $0.reveal().utf8.count > $1.reveal().utf8.count
        }
    }

    /// The text with `<REDACTED>` in place of each secret, and of the password of any URL.
    package func scrub(_ text: String) -> String {
        Self.withoutPasswords(secrets.reduce(text) { $1.redacted(in: $0) })
    }

    /// `<REDACTED>`.
    package var description: String { "<REDACTED>" }
    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .struct) }

    /// Hides what stands between the colon and the last `@` of `scheme://user:password@host`.
    private static func withoutPasswords(_ text: String) -> String {
        guard text.contains("@") else { return text }
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map { word -> String in
            let bytes = Array(word.utf8)
            guard
                let scheme = bytes.indices.first(where: { bytes[$0...].starts(with: "://".utf8) }),
                let at = bytes.lastIndex(of: UInt8(ascii: "@")), at > scheme + 3,
                let colon = bytes[(scheme + 3)..<at].firstIndex(of: UInt8(ascii: ":"))
            else { return String(word) }
            return String(decoding: bytes[...colon], as: UTF8.self) + "<REDACTED>"
                + String(decoding: bytes[at...], as: UTF8.self)
        }
        return words.joined(separator: " ")
    }
}
