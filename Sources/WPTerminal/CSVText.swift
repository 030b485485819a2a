// SPDX-License-Identifier: MIT

/// Records of comma-separated values (RFC 4180) with untrusted text.
package enum CSVText {
    /// One record with its line end, CRLF.
    ///
    /// Control characters and bidirectional marks are escaped as in ``TerminalText/printable(_:)``, because a terminal
    /// may show the file. Text that a spreadsheet would run as a formula is prefixed with an apostrophe.
    package static func line(_ fields: [String]) -> String {
        fields.map(field).joined(separator: ",") + "\r\n"
    }

    private static func field(_ text: String) -> String {
        var text = TerminalText.printable(text)
        if let first = text.unicodeScalars.first(where: { $0 != " " }), "=+-@".unicodeScalars.contains(first),
            Double(text) == nil
        {
            text = "'" + text
        }
        guard text.utf8.contains(where: { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "\"") }) else { return text }
        return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}
