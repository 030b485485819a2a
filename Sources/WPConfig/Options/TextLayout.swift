// SPDX-License-Identifier: MIT

/// Breaks text into lines.
enum TextLayout {
    /// The text in lines of at most a width in characters; a longer word has a line of its own.
    static func wrap(_ text: String, width: Int) -> [String] {
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

    /// Rows of a term and its explanation, with the explanations in one column. A term that is too long for its column
    /// stands on a line of its own.
    static func columns(_ rows: [(term: String, text: String)], width: Int) -> [String] {
        columnBlocks(rows, width: width).flatMap { $0 }
    }

    /// The same with the lines of each row apart.
    static func columnBlocks(_ rows: [(term: String, text: String)], width: Int) -> [[String]] {
        let margin = 2 + (rows.map(\.term.count).filter { $0 <= longestTerm }.max() ?? longestTerm) + 2
        let padding = String(repeating: " ", count: margin)
        return rows.map { row in
            var lines = wrap(row.text, width: max(20, width - margin)).map { padding + $0 }
            let term = "  " + row.term
            guard let first = lines.first, term.count + 2 <= margin else { return [term] + lines }
            lines[0] = term + first.dropFirst(term.count)
            return lines
        }
    }

    private static let longestTerm = 30
}
