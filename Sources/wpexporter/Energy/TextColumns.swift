// SPDX-License-Identifier: MIT

/// Text in columns for people.
enum TextColumns {
    /// Lines with columns as wide as what is in them.
    /// - Parameter isNumber: for each column whether it is flush right.
    static func lines(_ rows: [[String]], isNumber: [Bool]) -> String {
        let widths = isNumber.indices.map { column in rows.map { column < $0.count ? $0[column].count : 0 }.max() ?? 0 }
        return rows.map { row in
            let cells = zip(row, zip(widths, isNumber)).map { text, layout in
                let padding = String(repeating: " ", count: layout.0 - text.count)
                return layout.1 ? padding + text : text + padding
            }
            var line = cells.joined(separator: "  ")
            while line.last == " " { line.removeLast() }
            return line + "\n"
        }.joined()
    }

    /// A text from the network as a terminal may show it: without anything that would move its cursor.
    static func printable(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned, .privateUse:
                result += "\\u{\(String(scalar.value, radix: 16))}"
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
