// SPDX-License-Identifier: MIT

/// How messages show a text from outside.
package enum Quoted {
    /// The text in backquotes, cut at 60 characters, with control characters replaced, so that one fault stays on one line.
    package static func text(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }
        var shown = String.UnicodeScalarView()
        shown.append(contentsOf: scalars.prefix(60))
        return "`\(String(shown))\(scalars.count > 60 ? "…" : "")`"
    }
}

/// Booleans as options and settings write them.
package enum BooleanText {
    /// What is expected, to follow "expected".
    package static let expectation = "true or false (or 1, 0, yes, no)"

    /// Reads a boolean in upper or lower case; nil for anything else.
    package static func parse(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "true", "1", "yes": true
        case "false", "0", "no": false
        default: nil
        }
    }
}
