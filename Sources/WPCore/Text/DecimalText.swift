// SPDX-License-Identifier: MIT

extension FixedWidthInteger {
    /// Parses a string that consists of ASCII digits only.
    /// - Parameters:
    ///   - text: the string.
    ///   - radix: the base, from 2 to 10.
    /// - Returns: nil for any other string, such as one with a sign, and on overflow.
    package init?(digits text: some StringProtocol, radix: Int = 10) {
        // The standard library also accepts a sign, and nothing else.
        guard let first = text.utf8.first, first != UInt8(ascii: "+"), first != UInt8(ascii: "-") else { return nil }
        self.init(text, radix: radix)
    }
}

// Numbers as decimal text for JSON and CSV.
extension [UInt8] {
    /// Appends an integer in decimal digits.
    package mutating func appendDecimal(_ number: Int64) { append(contentsOf: String(number).utf8) }

    /// Appends the last decimal digits of a non-negative number, with leading zeros.
    package mutating func appendDecimal(_ number: Int, digits: Int) {
        var rest = number
        let start = count
        append(contentsOf: repeatElement(UInt8(ascii: "0"), count: digits))
        for index in indices[start...].reversed() {
            self[index] += UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }

    /// Appends the shortest text that parses to the same number, without `.0`; `null` for one that is not finite.
    package mutating func appendDecimal(_ number: some BinaryFloatingPoint & LosslessStringConvertible) {
        guard number.isFinite else { return append(contentsOf: "null".utf8) }
        let text = number == 0 ? "0" : number.description
        append(contentsOf: text.hasSuffix(".0") ? text.utf8.dropLast(2) : text.utf8[...])
    }
}
