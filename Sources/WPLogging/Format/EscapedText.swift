// SPDX-License-Identifier: MIT

import WPCore

/// Longer strings are truncated (bytes): a record may quote an upstream server.
let longestLogText = 16 * 1024

extension [UInt8] {
    /// Appends a string in JSON syntax, truncated to ``longestLogText``.
    mutating func appendLogQuoted(_ text: String) {
        appendQuoted(text, limit: longestLogText, mark: Self.mark)
    }

    /// Appends a string without line breaks and terminal controls, truncated to ``longestLogText``.
    mutating func appendLogEscaped(_ text: String, quoted: Bool) {
        appendEscaped(text, quoted: quoted, limit: longestLogText, mark: Self.mark)
    }

    private static func mark(_ missing: Int) -> String { "… (\(missing) bytes more)" }
}
