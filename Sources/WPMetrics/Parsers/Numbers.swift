// SPDX-License-Identifier: MIT

/// A number in an exposition.
struct ParsedNumber {
    let value: Double
    /// The number as a count; nil if it is not a whole number that fits in 64 bits. Plain digits are parsed exactly,
    /// even beyond 2^53.
    let count: UInt64?

    /// Parses a decimal number with fraction and exponent, or infinity or NaN in any case. `Double` would also accept
    /// hexadecimal numbers, which neither format allows.
    init?(_ text: ArraySlice<UInt8>) {
        let string = String(decoding: text, as: UTF8.self)
        guard text.allSatisfy({ Names.isDigit($0) || "+-.eE".utf8.contains($0) }) else {
            guard let special = Self.special(string) else { return nil }
            value = special
            count = nil
            return
        }
        guard let value = Double(string), value.isFinite else { return nil }
        self.value = value
        count = UInt64(string) ?? UInt64(exactly: value)
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
