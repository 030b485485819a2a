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
    ///   - mark: returns the suffix of a truncated string for the number of missing bytes.
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
    /// (U+200B, U+2060 to U+2064, U+FEFF): `\n`, `\r`, `\t`, or `\u` with four digits. Within quotation marks also
    /// these and the backslash.
    package mutating func appendEscaped(
        _ text: String,
        quoted: Bool,
        limit: Int = .max,
        mark: (_ missing: Int) -> String = { _ in "…" }
    ) {
        var text = text
        text.withUTF8 { bytes in
            var end = bytes.count
            if end > limit {
                end = Swift.max(0, limit)
                while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
            }
            var plain = 0
            var index = 0
            while index < end {
                let byte = bytes[index]
                if byte >= 0x20, byte < 0x7F, byte != 0x22, byte != 0x5C {
                    index += 1
                    continue
                }
                guard let (scalar, width) = Self.special(bytes, at: index, quoted: quoted) else {
                    index += 1
                    continue
                }
                append(contentsOf: UnsafeBufferPointer(rebasing: bytes[plain..<index]))
                appendEscape(scalar)
                index += width
                plain = index
            }
            append(contentsOf: UnsafeBufferPointer(rebasing: bytes[plain..<end]))
            if end < bytes.count {
                append(contentsOf: mark(bytes.count - end).utf8)
            }
        }
    }

    /// The scalar at an index, and its width in bytes, if it must be escaped.
    private static func special(
        _ bytes: UnsafeBufferPointer<UInt8>,
        at index: Int,
        quoted: Bool
    ) -> (UInt16, Int)? {
        switch bytes[index] {
        case 0..<0x20, 0x7F: (UInt16(bytes[index]), 1)
        case 0x22 where quoted, 0x5C where quoted: (UInt16(bytes[index]), 1)
        case 0x80...: specialBeyondASCII(bytes, at: index)
        default: nil
        }
    }

    private static func specialBeyondASCII(
        _ bytes: UnsafeBufferPointer<UInt8>,
        at index: Int
    ) -> (UInt16, Int)? {
        let second = index + 1 < bytes.count ? bytes[index + 1] : 0
        let third = index + 2 < bytes.count ? bytes[index + 2] : 0
        switch (bytes[index], second, third) {
        // U+0080 to U+009F.
        case (0xC2, 0x80...0x9F, _): return (UInt16(second), 2)
        // U+061C.
        case (0xD8, 0x9C, _): return (0x061C, 2)
        // U+200B, U+200E and U+200F; U+2028 to U+202E.
        case (0xE2, 0x80, 0x8B), (0xE2, 0x80, 0x8E...0x8F), (0xE2, 0x80, 0xA8...0xAE):
            return (0x2000 | UInt16(third & 0x3F), 3)
        // U+2060 to U+2064; U+2066 to U+2069.
        case (0xE2, 0x81, 0xA0...0xA4), (0xE2, 0x81, 0xA6...0xA9): return (0x2040 | UInt16(third & 0x3F), 3)
        // U+FEFF.
        case (0xEF, 0xBB, 0xBF): return (0xFEFF, 3)
        default: return nil
        }
    }

    private mutating func appendEscape(_ scalar: UInt16) {
        append(UInt8(ascii: "\\"))
        switch scalar {
        case 0x0A: append(UInt8(ascii: "n"))
        case 0x0D: append(UInt8(ascii: "r"))
        case 0x09: append(UInt8(ascii: "t"))
        case 0x22, 0x5C: append(UInt8(scalar))
        default:
            append(UInt8(ascii: "u"))
            for shift in [12, 8, 4, 0] as [UInt16] {
                let digit = UInt8((scalar >> shift) & 0xF)
                append(digit < 10 ? UInt8(ascii: "0") + digit : UInt8(ascii: "a") + digit - 10)
            }
        }
    }
}
