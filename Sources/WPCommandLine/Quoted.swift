// SPDX-License-Identifier: MIT

/// Quotes external text in messages.
package enum Quoted {
    /// The text in backquotes, on one line: truncated to 60 characters, with control characters replaced.
    package static func text(_ text: String) -> String {
        let scalars = text.unicodeScalars.map { $0.properties.generalCategory == .control ? "\u{FFFD}" : $0 }
        var shown = String.UnicodeScalarView()
        shown.append(contentsOf: scalars.prefix(60))
        return "`\(String(shown))\(scalars.count > 60 ? "…" : "")`"
    }
}

/// Booleans in the notation of options and settings.
package enum BooleanText {
    /// The phrase after "expected" in messages.
    package static let expectation = "true or false (or 1, 0, yes, no)"

    /// Parses a boolean, ignoring case; nil for anything else.
    package static func parse(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "true", "1", "yes": true
        case "false", "0", "no": false
        default: nil
        }
    }
}
