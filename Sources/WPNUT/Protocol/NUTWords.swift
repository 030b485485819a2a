// SPDX-License-Identifier: MIT

/// The words of a line, separated by spaces. Words with spaces are in double quotes, `\` escapes a character, and a `#`
/// that begins a word after the first starts a comment.
enum NUTWords {
    /// The line is malformed: an unterminated quote or escape, or too many words.
    struct Malformed: Error, Equatable {}

    /// The maximum number of words per line; no command has more than five.
    static let maxCount = 32

    /// Splits a line.
    /// - Parameter line: without its line feed. Invalid UTF-8 becomes U+FFFD, which matches no name.
    static func split(_ line: some Collection<UInt8>) throws(Malformed) -> [String] {
        var words: [String] = []
        var word: [UInt8]?
        var isQuoted = false
        var isEscaped = false
        for byte in line {
            if isEscaped {
                word = word ?? []
                word?.append(byte)
                isEscaped = false
                continue
            }
            switch byte {
            case UInt8(ascii: "\\"):
                isEscaped = true
            case UInt8(ascii: "\""):
                isQuoted.toggle()
                word = word ?? []
            case _ where isQuoted:
                word?.append(byte)
            case UInt8(ascii: " "), 0x09, 0x0B, 0x0C, 0x0D:
                try finish(&word, &words)
            case UInt8(ascii: "#") where word == nil && !words.isEmpty:
                return words
            default:
                word = word ?? []
                word?.append(byte)
            }
        }
        guard !isQuoted, !isEscaped else { throw Malformed() }
        try finish(&word, &words)
        return words
    }

    private static func finish(_ word: inout [UInt8]?, _ words: inout [String]) throws(Malformed) {
        guard let bytes = word else { return }
        guard words.count < maxCount else { throw Malformed() }
        words.append(String(decoding: bytes, as: UTF8.self))
        word = nil
    }

    /// A quoted string on one line: control characters become spaces.
    static func quote(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": quoted += "\\\(scalar)"
            case _ where scalar.properties.generalCategory == .control: quoted += " "
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
