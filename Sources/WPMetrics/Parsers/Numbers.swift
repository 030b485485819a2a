// SPDX-License-Identifier: MIT

/// A number in an exposition.
struct ParsedNumber {
    let value: Double
    /// The number as a count; nil if it is not a whole number of 64 bits. Plain digits are parsed exactly, beyond 2^53.
    let count: UInt64?

    /// Parses a decimal number with fraction and exponent, or infinity or NaN in any case. `Double` would also accept
    /// hexadecimal numbers, which neither format has.
    init?(_ text: ArraySlice<UInt8>) {
        let string = String(decoding: text, as: UTF8.self)
        guard let shape = Self.shape(of: text) else {
            guard let special = Self.special(string) else { return nil }
            value = special
            count = nil
            return
        }
        guard let value = Double(string), value.isFinite else { return nil }
        self.value = value
        count = shape == .digits ? UInt64(string) ?? UInt64(exactly: value) : UInt64(exactly: value)
    }

    private enum Shape { case digits, decimal }

    private static func shape(of text: ArraySlice<UInt8>) -> Shape? {
        var rest = text
        let hasSign = dropSign(&rest)
        let whole = dropDigits(&rest)
        var fraction = 0
        var isDigits = !hasSign
        if rest.first == UInt8(ascii: ".") {
            rest.removeFirst()
            fraction = dropDigits(&rest)
            isDigits = false
        }
        guard whole + fraction > 0 else { return nil }
        if rest.first == UInt8(ascii: "e") || rest.first == UInt8(ascii: "E") {
            rest.removeFirst()
            _ = dropSign(&rest)
            guard dropDigits(&rest) > 0 else { return nil }
            isDigits = false
        }
        guard rest.isEmpty else { return nil }
        return isDigits ? .digits : .decimal
    }

    private static func dropSign(_ rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.first == UInt8(ascii: "+") || rest.first == UInt8(ascii: "-") else { return false }
        rest.removeFirst()
        return true
    }

    private static func dropDigits(_ rest: inout ArraySlice<UInt8>) -> Int {
        let digits = rest.prefix(while: Names.isDigit)
        rest = rest[digits.endIndex...]
        return digits.count
    }

    private static func special(_ text: String) -> Double? {
        switch text.lowercased() {
        case "nan": .nan
        case "inf", "+inf", "infinity", "+infinity": .infinity
        case "-inf", "-infinity": -.infinity
        default: nil
        }
    }
}
