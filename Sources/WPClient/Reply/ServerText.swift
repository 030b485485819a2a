// SPDX-License-Identifier: MIT

import WPCore

/// Sanitizes server text for logs and errors.
enum ServerText {
    /// Removes secrets, truncates the string to `limit` bytes of UTF-8, and replaces control characters.
    static func clean(_ text: String, hiding secrets: [Secret] = [], limit: Int = 200) -> String {
        var text = text
        // Before truncation: a partial secret would not be found.
        for secret in secrets { text = secret.redacted(in: text) }
        let printable = text.prefix(bytes: limit).unicodeScalars.map { scalar -> Character in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse: " "
            default: Character(scalar)
            }
        }
        return String(printable)
    }
}

extension String {
    /// The longest prefix of whole characters within `limit` bytes of UTF-8.
    func prefix(bytes limit: Int) -> String {
        guard utf8.count > limit else { return self }
        var end = startIndex
        var size = 0
        while end < endIndex {
            let next = index(after: end)
            size += utf8.distance(from: end, to: next)
            guard size <= limit else { break }
            end = next
        }
        return String(self[..<end])
    }
}
