// SPDX-License-Identifier: MIT

/// Numbers in decimal notation.
enum DecimalNumber {
    /// The powers of ten that a Double holds exactly, as far as they are needed.
    private static let powers: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14,
    ]
    /// So many digits make a whole number that a Double holds exactly.
    private static let exactDigits = 15
    private static let maximumBytes = 64

    /// The nearest Double of a finite number such as `195`, `-0.5` or `1.5e3`, with blanks around it or not; nil for
    /// anything else.
    static func value(of bytes: ArraySlice<UInt8>) -> Double? {
        short(bytes) ?? long(bytes)
    }

    /// A number of a few digits without an exponent, as nearly all are. A quotient of two numbers that a Double holds
    /// exactly is rounded once, so it is the nearest.
    private static func short(_ bytes: ArraySlice<UInt8>) -> Double? {
        let isNegative = bytes.first == UInt8(ascii: "-")
        var digits = 0
        var decimals: Int?
        var value = 0
        for byte in isNegative ? bytes.dropFirst() : bytes {
            if byte == UInt8(ascii: "."), decimals == nil, digits > 0 {
                decimals = 0
                continue
            }
            guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte), digits < exactDigits else { return nil }
            value = value * 10 + Int(byte - UInt8(ascii: "0"))
            digits += 1
            decimals? += 1
        }
        guard digits > 0, decimals != 0 else { return nil }
        let magnitude = decimals.map { Double(value) / powers[$0] } ?? Double(value)
        return isNegative ? -magnitude : magnitude
    }

    private static func long(_ bytes: ArraySlice<UInt8>) -> Double? {
        var digits = bytes
        while digits.first == 0x20 { digits.removeFirst() }
        while digits.last == 0x20 { digits.removeLast() }
        // Double's own reader also takes "nan", "infinity" and hexadecimal, which are no measurement.
        let isDecimal = digits.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"),
                UInt8(ascii: "e"), UInt8(ascii: "E"):
                true
            default: false
            }
        }
        guard digits.count <= maximumBytes, isDecimal, let number = Double(Substring(decoding: digits, as: UTF8.self)),
            number.isFinite
        else { return nil }
        return number
    }
}
