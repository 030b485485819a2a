// SPDX-License-Identifier: MIT

/// Text inside a JSON string (RFC 8259, section 7), or on a line for human readers.
package enum JSONText {
    /// A quoted string.
    /// - Parameter limit: the maximum number of bytes; longer text is truncated between characters and ends with an
    ///   ellipsis.
    package static func quoted(_ text: some StringProtocol, limit: Int = .max) -> String {
        var bytes: [UInt8] = []
        bytes.appendQuoted(String(text), limit: limit) { _ in "…" }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension [UInt8] {
    /// Appends a quoted string.
    /// - Parameters:
    ///   - limit: the maximum number of bytes; longer text is truncated between scalars.
    ///   - mark: returns the suffix of a truncated string, given the number of omitted bytes.
    package mutating func appendQuoted(
        _ text: String,
        limit: Int = .max,
        mark: (_ missing: Int) -> String = { _ in "…" }
    ) {
        append(UInt8(ascii: "\""))
        appendEscaped(text, quoted: true, limit: limit, mark: mark)
        append(UInt8(ascii: "\""))
    }

    /// Appends a string on one line and without terminal controls.
    ///
    /// Escapes C0 and C1 controls and DEL, line and paragraph separators, and bidirectional or zero-width characters
    /// (U+200B, U+2060 to U+2064, U+FEFF): `\n`, `\r`, `\t`, or `\u` with four digits. In a quoted string,
    /// also escapes quotation marks and backslashes.
    package mutating func appendEscaped(
        _ text: String,
        quoted: Bool,
        limit: Int = .max,
        mark: (_ missing: Int) -> String = { _ in "…" }
    ) {
        let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7F && !(quoted && ($0 == 0x22 || $0 == 0x5C)) }
        if isPlain, text.utf8.count <= limit { return append(contentsOf: text.utf8) }
        let end = text.utf8.index(text.startIndex, offsetBy: Swift.min(Swift.max(0, limit), text.utf8.count))
        // Slicing rounds the end down to a scalar boundary.
        let kept = text.unicodeScalars[..<end]
        for scalar in kept {
            switch scalar.value {
            case 0x0A: append(contentsOf: #"\n"#.utf8)
            case 0x0D: append(contentsOf: #"\r"#.utf8)
            case 0x09: append(contentsOf: #"\t"#.utf8)
            case 0x22 where quoted, 0x5C where quoted: append(contentsOf: [0x5C, UInt8(scalar.value)])
            case 0x20..<0x7F: append(UInt8(scalar.value))
            case ..<0x20, 0x7F...0x9F, 0x061C, 0x200B, 0x200E...0x200F, 0x2028...0x202E, 0x2060...0x2064,
                0x2066...0x2069, 0xFEFF:
                let digits = String(scalar.value, radix: 16)
                append(contentsOf: "\\u\(String(repeating: "0", count: 4 - digits.utf8.count))\(digits)".utf8)
            default: append(contentsOf: scalar.utf8)
            }
        }
        if kept.endIndex < text.endIndex {
            append(contentsOf: mark(text.utf8.distance(from: kept.endIndex, to: text.endIndex)).utf8)
        }
    }
}
