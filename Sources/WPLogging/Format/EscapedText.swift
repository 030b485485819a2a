// SPDX-License-Identifier: MIT

import WPCore

/// The maximum length of a logged string, in bytes, because a record may quote an upstream server.
let maximumLogTextBytes = 16 * 1024

extension [UInt8] {
    /// Appends a string in JSON syntax, truncated to ``maximumLogTextBytes``.
    mutating func appendLogQuoted(_ text: String) {
        appendQuoted(text, limit: maximumLogTextBytes, mark: Self.mark)
    }

    /// Appends a string without line breaks and terminal controls, truncated to ``maximumLogTextBytes``.
    mutating func appendLogEscaped(_ text: String, quoted: Bool) {
        appendEscaped(text, quoted: quoted, limit: maximumLogTextBytes, mark: Self.mark)
    }

    private static func mark(_ missing: Int) -> String { "… (\(missing) bytes more)" }
}
