// SPDX-License-Identifier: MIT

/// Breaks text into lines.
package enum TextLayout {
    /// The text in lines of at most `width` characters; a longer word gets its own line.
    package static func wrap(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        var line = ""
        for word in text.split(separator: " ") {
            if line.isEmpty {
                line = String(word)
            } else if line.count + 1 + word.count <= width {
                line += " " + word
            } else {
                lines.append(line)
                line = String(word)
            }
        }
        return line.isEmpty ? lines : lines + [line]
    }

    /// Rows of a term and its explanation in two columns. A term that is too long for its column gets its own line.
    static func columns(_ rows: [(term: String, text: String)], width: Int) -> [String] {
        columnBlocks(rows, width: width).flatMap { $0 }
    }

    /// The same as ``columns(_:width:)``, with the lines of each row grouped.
    static func columnBlocks(_ rows: [(term: String, text: String)], width: Int) -> [[String]] {
        // A narrow terminal keeps most of its width for the explanations.
        let longest = min(longestTerm, max(8, width / 2 - 8))
        let margin = 2 + (rows.map(\.term.count).filter { $0 <= longest }.max() ?? longest / 2) + 2
        let padding = String(repeating: " ", count: margin)
        return rows.map { row in
            var lines = wrap(row.text, width: max(20, width - margin)).map { padding + $0 }
            let term = "  " + row.term
            guard let first = lines.first, term.count + 2 <= margin else {
                return wrap(row.term, width: width - 4).enumerated().map {
                    ($0.offset == 0 ? "  " : "    ") + $0.element
                }
                    + lines
            }
            lines[0] = term + first.dropFirst(term.count)
            return lines
        }
    }

    private static let longestTerm = 30

    /// A command line broken with backslashes before options, pipes and redirections.
    static func wrapCommand(_ command: String, width: Int) -> [String] {
        var parts: [String] = []
        for word in command.split(separator: " ") {
            if let last = parts.last, !word.hasPrefix("--"), word != "|", word != ">" {
                parts[parts.count - 1] = last + " " + word
            } else {
                parts.append(String(word))
            }
        }
        var lines: [String] = []
        for part in parts {
            // Reserve two characters for the space and the backslash.
            if let last = lines.last, last.count + 1 + part.count + 2 <= width {
                lines[lines.count - 1] = last + " " + part
            } else {
                lines.append(lines.isEmpty ? part : "    " + part)
            }
        }
        return lines.enumerated().map { $0.offset < lines.count - 1 ? $0.element + " \\" : $0.element }
    }
}
