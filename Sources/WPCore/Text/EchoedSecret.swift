// SPDX-License-Identifier: MIT

/// A secret that a peer may repeat in its response: as it was sent, or escaped as in JSON, URLs or HTML.
package struct EchoedSecret {
    private let text: String
    private let scalars: [Unicode.Scalar]
    /// The bytes with which its first character can begin, in any form.
    private let starts: Set<UInt8>

    /// - Parameter text: the secret.
    package init(_ text: String) {
        self.text = text
        scalars = Array(text.unicodeScalars)
        var starts = Set("\\%&".utf8)
        if let first = scalars.first, let byte = String(first).utf8.first { starts.insert(byte) }
        if scalars.first == " " { starts.insert(UInt8(ascii: "+")) }
        self.starts = starts
    }

    /// Replaces the secret with `<REDACTED>` in all of these forms and mixtures of them: percent-encoded, with `+` for
    /// a space, escaped once or several times by backslashes, `\u0022`, `\x22`, `&quot;` and `&#34;`.
    package func redacted(in other: String) -> String {
        // No form is shorter than the secret.
        guard !scalars.isEmpty, other.utf8.count >= text.utf8.count else { return other }
        let bytes = Array(other.utf8)
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = 0
        while index < bytes.count {
            if starts.contains(bytes[index]), let end = end(in: bytes, from: index) ?? plainEnd(in: bytes, from: index)
            {
                result += "<REDACTED>".utf8
                index = end
            } else {
                result.append(bytes[index])
                index += 1
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    private func plainEnd(in bytes: [UInt8], from start: Int) -> Int? {
        bytes[start...].starts(with: text.utf8) ? start + text.utf8.count : nil
    }

    /// The end of the escaped form that starts at an offset.
    private func end(in bytes: [UInt8], from start: Int) -> Int? {
        var reader = EscapeReader(bytes: bytes, index: start)
        var position = 0
        while position < scalars.count {
            if scalars[position] == "\\" {
                // How many backslashes represent one depends on how often the text was escaped.
                guard reader.passBackslashes() else { return nil }
                while position < scalars.count, scalars[position] == "\\" { position += 1 }
            } else {
                guard reader.pass(scalars[position]) else { return nil }
                position += 1
            }
        }
        return reader.index
    }
}

/// Parses escaped characters.
private struct EscapeReader {
    let bytes: [UInt8]
    private(set) var index: Int

    init(bytes: [UInt8], index: Int) {
        (self.bytes, self.index) = (bytes, index)
    }

    /// The maximum number of backslashes in an escape: a string escaped four times has 15. Limits the time spent on a
    /// hostile text.
    private static let maximumBackslashes = 16
    private static let entities: [(name: String, scalar: Unicode.Scalar)] = [
        ("&quot;", "\""), ("&amp;", "&"), ("&lt;", "<"), ("&gt;", ">"), ("&apos;", "'"),
    ]
    private static let controls: [Unicode.Scalar: UInt8] = [
        "\u{8}": UInt8(ascii: "b"), "\t": UInt8(ascii: "t"), "\n": UInt8(ascii: "n"), "\u{C}": UInt8(ascii: "f"),
        "\r": UInt8(ascii: "r"),
    ]

    /// Skips a run of backslashes in any form.
    mutating func passBackslashes() -> Bool {
        var count = 0
        while count < 4 * Self.maximumBackslashes, passEscape("\\") || passByte(UInt8(ascii: "\\")) { count += 1 }
        return count > 0
    }

    /// Skips a character in any form.
    mutating func pass(_ scalar: Unicode.Scalar) -> Bool {
        passEscape(scalar) || passText(String(scalar)) || scalar == " " && passByte(UInt8(ascii: "+"))
    }

    private mutating func passEscape(_ scalar: Unicode.Scalar) -> Bool {
        attempt { $0.passPercent(scalar) } || attempt { $0.passBackslash(scalar) } || attempt { $0.passEntity(scalar) }
    }

    private mutating func passPercent(_ scalar: Unicode.Scalar) -> Bool {
        for byte in String(scalar).utf8 {
            guard passByte(UInt8(ascii: "%")) else { return false }
            // In a string encoded twice, the percent sign is %25.
            while attempt({ $0.passText("25") && $0.peeksHex(byte) }) {}
            guard passHex(UInt32(byte), digits: 2) else { return false }
        }
        return true
    }

    private mutating func passBackslash(_ scalar: Unicode.Scalar) -> Bool {
        guard passPlainBackslashes() else { return false }
        if attempt({ $0.passUnits(scalar) }) || attempt({ $0.passHexBytes(scalar) }) { return true }
        if let letter = Self.controls[scalar] { return passByte(letter) }
        return scalar != "\\" && passText(String(scalar))
    }

    /// `u0041`, or a pair `uD83D\uDE00`; the first backslash has been skipped.
    private mutating func passUnits(_ scalar: Unicode.Scalar) -> Bool {
        for (number, unit) in String(scalar).utf16.enumerated() {
            guard number == 0 || passPlainBackslashes() else { return false }
            guard passByte(UInt8(ascii: "u")), passHex(UInt32(unit), digits: 4) else { return false }
        }
        return true
    }

    /// `x41` per byte; the first backslash has been skipped.
    private mutating func passHexBytes(_ scalar: Unicode.Scalar) -> Bool {
        for (number, byte) in String(scalar).utf8.enumerated() {
            guard number == 0 || passPlainBackslashes() else { return false }
            guard passByte(UInt8(ascii: "x")), passHex(UInt32(byte), digits: 2) else { return false }
        }
        return true
    }

    private mutating func passPlainBackslashes() -> Bool {
        var count = 0
        while count < Self.maximumBackslashes, passByte(UInt8(ascii: "\\")) { count += 1 }
        return count > 0
    }

    private mutating func passEntity(_ scalar: Unicode.Scalar) -> Bool {
        for entity in Self.entities where entity.scalar == scalar && passText(entity.name) { return true }
        guard passText("&#") else { return false }
        let isHexadecimal = passText("x") || passText("X")
        var value: UInt32 = 0
        let start = index
        while index < bytes.count, index - start < 8, let digit = Self.hex(bytes[index]), isHexadecimal || digit < 10 {
            value = value &* (isHexadecimal ? 16 : 10) &+ digit
            index += 1
        }
        return index > start && value == scalar.value && passByte(UInt8(ascii: ";"))
    }

    // MARK: Bytes

    private mutating func attempt(_ pass: (inout EscapeReader) -> Bool) -> Bool {
        let start = index
        if pass(&self) { return true }
        index = start
        return false
    }

    private mutating func passByte(_ byte: UInt8) -> Bool {
        guard index < bytes.count, bytes[index] == byte else { return false }
        index += 1
        return true
    }

    private mutating func passText(_ text: String) -> Bool {
        guard bytes[index...].starts(with: text.utf8) else { return false }
        index += text.utf8.count
        return true
    }

    private func peeksHex(_ byte: UInt8) -> Bool {
        var copy = self
        return copy.passHex(UInt32(byte), digits: 2) || bytes[index...].starts(with: "25".utf8)
    }

    private mutating func passHex(_ value: UInt32, digits: Int) -> Bool {
        guard bytes.count - index >= digits else { return false }
        var found: UInt32 = 0
        for byte in bytes[index..<(index + digits)] {
            guard let digit = Self.hex(byte) else { return false }
            found = found << 4 | digit
        }
        guard found == value else { return false }
        index += digits
        return true
    }

    private static func hex(_ byte: UInt8) -> UInt32? { PercentEncoding.hexValue(byte).map { UInt32($0) } }
}
