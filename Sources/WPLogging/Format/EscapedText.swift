// SPDX-License-Identifier: MIT

import WPText

/// A text longer than this, in bytes, is cut: a record may quote what an upstream server sent.
let longestLogText = 16 * 1024

extension [UInt8] {
    /// Appends a text between quotation marks, as JSON, at most ``longestLogText`` of it.
    mutating func appendLogQuoted(_ text: String) {
        appendQuoted(text, limit: longestLogText, mark: Self.mark)
    }

    /// Appends a text so that it stays on one line and can't control a terminal, at most ``longestLogText`` of it.
    mutating func appendLogEscaped(_ text: String, quoted: Bool) {
        appendEscaped(text, quoted: quoted, limit: longestLogText, mark: Self.mark)
    }

    private static func mark(_ missing: Int) -> String { "… (\(missing) bytes more)" }
}
