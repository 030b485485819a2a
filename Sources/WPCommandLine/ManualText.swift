// SPDX-License-Identifier: MIT

/// Writes mdoc(7): escapes text, starts a new line for every sentence, and limits lines to 80 characters.
struct ManualText {
    private(set) var source = ""
    /// Whether a section has just begun, where a paragraph needs no macro.
    private var isFresh = true

    mutating func raw(_ line: String) {
        source += line + "\n"
    }

    /// A macro with arguments, each a word or a quoted string.
    mutating func macro(_ name: String, _ arguments: String...) {
        raw("." + ([name] + arguments.map(Self.escaped)).joined(separator: " "))
    }

    mutating func section(_ title: String) {
        macro("Sh", title)
        isFresh = true
    }

    mutating func subsection(_ title: String) {
        raw(".Ss " + Self.escaped(title))
        isFresh = true
    }

    /// Text that continues the current paragraph.
    mutating func text(_ text: String) {
        for sentence in Self.sentences(text) {
            for line in TextLayout.wrap(sentence, width: 72) { raw(Self.line(line)) }
        }
        isFresh = false
    }

    /// Text that begins a paragraph.
    mutating func paragraph(_ text: String) {
        if !isFresh { raw(".Pp") }
        self.text(text)
    }

    /// Terms and their meanings. A term is a macro and its arguments.
    mutating func list(_ rows: [(term: [String], text: String)]) {
        raw(".Bl -tag -width Ds")
        for row in rows {
            raw(".It " + row.term.map(Self.escaped).joined(separator: " "))
            text(row.text.prefix(1).uppercased() + row.text.dropFirst())
        }
        raw(".El")
        isFresh = false
    }

    /// Preformatted lines.
    mutating func literal(_ lines: [String]) {
        raw(".Bd -literal -offset indent")
        for line in lines { raw(Self.line(line)) }
        raw(".Ed")
        isFresh = false
    }

    private static func sentences(_ text: String) -> [String] {
        text.replacing(". ", with: ".\n").split(separator: "\n").map(String.init)
    }

    /// A line of text, escaped so that it is not read as a macro.
    private static func line(_ text: String) -> String {
        let escaped = escaped(text)
        return escaped.hasPrefix(".") ? "\\&" + escaped : escaped
    }

    /// Escaped text, for groff and mandoc.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            switch scalar {
            case "\\": "\\e"
            case "-": "\\-"
            case "'": "\\(aq"
            case "`": "\\(ga"
            case "\"": "\\(dq"
            case "^": "\\(ha"
            case "~": "\\(ti"
            case _ where scalar.isASCII: String(scalar)
            default: "\\[u\(Self.hexadecimal(scalar.value))]"
            }
        }.joined()
    }

    private static func hexadecimal(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
