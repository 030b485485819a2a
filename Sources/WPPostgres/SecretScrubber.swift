// SPDX-License-Identifier: MIT

package import WPCore

/// Removes passwords from messages of libpq and the server.
package struct SecretScrubber: Sendable, CustomStringConvertible, CustomReflectable {
    private let secrets: [Secret]

    /// - Parameter secrets: the secrets, also removed in URL and JSON escapes. Secrets shorter than four bytes are
    ///   kept, because they match ordinary words.
    package init(_ secrets: [Secret]) {
        // Longest first, because one may contain another.
        self.secrets = secrets.filter { $0.reveal().utf8.count >= 4 }.sorted {
            $0.reveal().utf8.count > $1.reveal().utf8.count
        }
    }

    /// The text with `<REDACTED>` instead of each secret and the password of any URL.
    package func scrub(_ text: String) -> String {
        Self.withoutPasswords(secrets.reduce(text) { $1.redacted(in: $0) })
    }

    /// `<REDACTED>`.
    package var description: String { "<REDACTED>" }
    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .struct) }

    /// Hides the part between the colon and the last `@` of `scheme://user:password@host`.
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
