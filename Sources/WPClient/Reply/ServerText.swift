// SPDX-License-Identifier: MIT

import WPModel

/// Texts from the server on their way into a log or an error.
enum ServerText {
    /// Makes a text fit to be printed: no control characters, no secret, at most `limit` bytes of UTF-8.
    static func clean(_ text: String, hiding secrets: [Secret] = [], limit: Int = 200) -> String {
        var text = text
        // Before the text is cut: half a secret would no longer be found.
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
    /// As many whole characters from the start as fit in `limit` bytes of UTF-8.
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
