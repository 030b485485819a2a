// SPDX-License-Identifier: MIT

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
