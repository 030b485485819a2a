// SPDX-License-Identifier: MIT

/// The layout of text on a terminal's grid of cells.
package enum TerminalText {
    /// The width of a string in cells: two for a wide East Asian character or an emoji, none for a combining mark.
    /// - Parameter text: a ``printable(_:)`` text; a control character has no width.
    package static func width(_ text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + width($1) }
    }

    /// Makes untrusted text safe for a terminal: it cannot move the cursor, and terminals agree on its width.
    ///
    /// Invisible characters are escaped, such as `\u{1b}`. Emoji joiners, variation selectors and skin tones are
    /// removed, because terminals differ in the width of such sequences.
    package static func printable(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F }) { return text }
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case _ where isEmojiModifier(scalar): continue
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    /// The longest prefix of at most `limit` cells, and its width.
    package static func prefix(_ text: String, width limit: Int) -> (text: String, width: Int) {
        var result = ""
        var total = 0
        for character in text {
            let next = total + character.unicodeScalars.reduce(0) { $0 + width($1) }
            if next > limit { break }
            result.append(character)
            total = next
        }
        return (result, total)
    }

    /// Wraps text into lines of at most `width` cells, at spaces, or within a word that is longer than a line.
    package static func wrap(_ text: String, width: Int) -> [String] {
        let width = max(width, 2)
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            var word = String(word)
            let joined = line.isEmpty ? word : line + " " + word
            if self.width(joined) <= width {
                line = joined
                continue
            }
            if !line.isEmpty { lines.append(line) }
            while self.width(word) > width {
                let start = prefix(word, width: width).text
                // A character with its marks is at most two cells wide, but may have many marks.
                guard !start.isEmpty else { break }
                lines.append(start)
                word.removeFirst(start.count)
            }
            line = word
        }
        return line.isEmpty ? lines : lines + [line]
    }

    private static func width(_ scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x300 { return scalar.value >= 0x20 && !(0x7F..<0xA0).contains(scalar.value) ? 1 : 0 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control, .lineSeparator, .paragraphSeparator: return 0
        default: break
        }
        // The vowels and final consonants of a Hangul syllable share the cells of its first consonant.
        if (0x1160...0x11FF).contains(scalar.value) { return 0 }
        return isWide(scalar) ? 2 : 1
    }

    /// Whether East_Asian_Width is W or F (Unicode Standard Annex 11). Of the emoji, this includes those that are shown
    /// as emoji by default.
    private static func isWide(_ scalar: Unicode.Scalar) -> Bool {
        guard scalar.value >= 0x1100 else { return false }
        if wideRanges.contains(where: { $0.contains(scalar.value) }) { return true }
        let isRegionalIndicator = (0x1F1E6...0x1F1FF).contains(scalar.value)
        return scalar.properties.isEmojiPresentation && !isRegionalIndicator
    }

    private static let wideRanges: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2329...0x232A, 0x2E80...0x303E, 0x3041...0x3247, 0x3250...0x4DBF, 0x4E00...0xA4CF,
        0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE10...0xFE19, 0xFE30...0xFE6F, 0xFF01...0xFF60,
        0xFFE0...0xFFE6, 0x16FE0...0x1B2FF, 0x1F200...0x1F2FF, 0x20000...0x2FFFD, 0x30000...0x3FFFD,
    ]

    private static func isEmojiModifier(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x200C...0x200D, 0xFE00...0xFE0F, 0x1F3FB...0x1F3FF, 0xE0100...0xE01EF: true
        default: false
        }
    }
}
