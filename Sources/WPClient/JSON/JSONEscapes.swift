// SPDX-License-Identifier: MIT

/// The escapes of a JSON string (RFC 8259, section 7).
enum JSONEscapes {
    /// The text that escaped bytes stand for, which ``JSONReader`` has checked.
    /// - Returns: nil when it has half of a surrogate pair, which is no character.
    static func text(of bytes: ArraySlice<UInt8>) -> String? {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var rest = bytes
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "\\") else {
                result.append(byte)
                continue
            }
            switch rest.popFirst() {
            case UInt8(ascii: "b"): result.append(0x08)
            case UInt8(ascii: "f"): result.append(0x0C)
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "u"):
                guard let scalar = scalar(&rest) else { return nil }
                result.append(contentsOf: Character(scalar).utf8)
            case let other?: result.append(other)
            case nil: return nil
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// The value of a hexadecimal digit.
    static func hexValue(_ byte: UInt8) -> UInt16? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): UInt16(byte - UInt8(ascii: "0"))
        case UInt8(ascii: "a")...UInt8(ascii: "f"): UInt16(byte - UInt8(ascii: "a") + 10)
        case UInt8(ascii: "A")...UInt8(ascii: "F"): UInt16(byte - UInt8(ascii: "A") + 10)
        default: nil
        }
    }

    /// The character whose four digits come next, with its second half if it has one.
    private static func scalar(_ rest: inout ArraySlice<UInt8>) -> Unicode.Scalar? {
        guard let unit = unit(&rest) else { return nil }
        guard (0xD800...0xDBFF).contains(unit) else { return Unicode.Scalar(unit) }
        guard rest.popFirst() == UInt8(ascii: "\\"), rest.popFirst() == UInt8(ascii: "u"),
            let low = self.unit(&rest), (0xDC00...0xDFFF).contains(low)
        else { return nil }
        return Unicode.Scalar(0x10000 + (UInt32(unit) - 0xD800) << 10 + (UInt32(low) - 0xDC00))
    }

    private static func unit(_ rest: inout ArraySlice<UInt8>) -> UInt16? {
        var value: UInt16 = 0
        for _ in 0..<4 {
            guard let digit = rest.popFirst().flatMap(hexValue) else { return nil }
            value = value << 4 | digit
        }
        return value
    }
}
