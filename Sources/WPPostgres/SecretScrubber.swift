// SPDX-License-Identifier: MIT

package import WPModel

/// Removes passwords from texts of libpq and of the server before anybody sees them.
package struct SecretScrubber: Sendable, CustomStringConvertible, CustomReflectable {
    private let secrets: [[UInt8]]

    /// - Parameter secrets: what must not be seen, in each form that it is written in. Texts of fewer than four bytes
    ///   are left in place, because they would also be found in ordinary words.
    package init(_ secrets: [Secret]) {
        // The longest first, since one may be a part of another.
        self.secrets = Set(secrets).map { Array($0.reveal().utf8) }.filter { $0.count >= 4 }.sorted {
            $0.count > $1.count
        }
    }

    /// The text with `<REDACTED>` in place of each secret, and of the password of any URL.
    package func scrub(_ text: String) -> String {
        var result = Array(text.utf8)
        for secret in secrets { result = Self.replacing(secret, in: result) }
        return Self.withoutPasswords(String(decoding: result, as: UTF8.self))
    }

    /// `<REDACTED>`.
    package var description: String { "<REDACTED>" }
    /// A mirror without children.
    package var customMirror: Mirror { Mirror(self, children: [:], displayStyle: .struct) }

    private static func replacing(_ secret: [UInt8], in bytes: [UInt8]) -> [UInt8] {
        guard bytes.count >= secret.count else { return bytes }
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == secret[0], bytes[index...].starts(with: secret) {
                result.append(contentsOf: "<REDACTED>".utf8)
                index += secret.count
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return result
    }

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
