// SPDX-License-Identifier: MIT

// Appends the elements of the formats to a buffer.
extension [UInt8] {
    /// Appends fixed text.
    mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { append(contentsOf: $0) }
    }

    /// Appends text with `\`, line feeds and optionally quotes escaped.
    mutating func appendEscaped(_ text: String, quotes: Bool) {
        let bytes = text.utf8
        let quote = quotes ? UInt8(ascii: "\"") : UInt8(ascii: "\\")
        guard bytes.contains(where: { $0 == UInt8(ascii: "\\") || $0 == UInt8(ascii: "\n") || $0 == quote }) else {
            append(contentsOf: bytes)
            return
        }
        for byte in bytes {
            switch byte {
            case UInt8(ascii: "\\"): append("\\\\")
            case UInt8(ascii: "\n"): append("\\n")
            case quote: append("\\\"")
            default: append(byte)
            }
        }
    }

    /// Appends a whole number.
    mutating func appendInteger(_ value: UInt64) { append(contentsOf: String(value).utf8) }

    /// Appends a sample's value: the shortest text that round-trips; whole numbers up to 2^53 without exponent or
    /// fraction.
    mutating func appendValue(_ value: Double) {
        guard value.isFinite else { return appendNonFinite(value) }
        guard value.magnitude <= 0x1p53, value.rounded(.towardZero) == value else {
            return append(contentsOf: value.description.utf8)
        }
        if value.sign == .minus { append(UInt8(ascii: "-")) }
        appendInteger(UInt64(value.magnitude))
    }

    /// Appends a number as the value of `le` or `quantile`, formatted as Go's `%g`, like Prometheus' own libraries.
    /// - Parameter keepsPoint: whether to write `1.0`, the canonical number of OpenMetrics, instead of `1`.
    mutating func appendBound(_ value: Double, keepsPoint: Bool) {
        guard value.isFinite else { return appendNonFinite(value) }
        if value.sign == .minus { append(UInt8(ascii: "-")) }
        let (digits, exponent) = Self.shortestDigits(of: value.magnitude)
        if exponent < -4 || exponent >= 6 {
            append(digits[0])
            if digits.count > 1 {
                append(UInt8(ascii: "."))
                append(contentsOf: digits.dropFirst())
            }
            append(exponent < 0 ? "e-" : "e+")
            if exponent.magnitude < 10 { append(UInt8(ascii: "0")) }
            appendInteger(UInt64(exponent.magnitude))
        } else if exponent < 0 {
            append("0.")
            append(contentsOf: repeatElement(UInt8(ascii: "0"), count: -exponent - 1))
            append(contentsOf: digits)
        } else {
            let whole = exponent + 1
            append(contentsOf: digits.prefix(whole))
            append(contentsOf: repeatElement(UInt8(ascii: "0"), count: Swift.max(0, whole - digits.count)))
            if digits.count > whole {
                append(UInt8(ascii: "."))
                append(contentsOf: digits.dropFirst(whole))
            } else if keepsPoint {
                append(".0")
            }
        }
    }

    private mutating func appendNonFinite(_ value: Double) {
        if value.isNaN {
            append("NaN")
        } else {
            append(value < 0 ? "-Inf" : "+Inf")
        }
    }

    /// The significant digits of a finite, non-negative number, at least one, and the power of ten of the first.
    private static func shortestDigits(of value: Double) -> (digits: [UInt8], exponent: Int) {
        var digits: [UInt8] = []
        var point: Int?
        var exponent = 0
        for (index, byte) in value.description.utf8.enumerated() {
            if byte == UInt8(ascii: ".") {
                point = digits.count
            } else if byte == UInt8(ascii: "e") {
                exponent = Int(String(value.description.utf8.dropFirst(index + 1)) ?? "") ?? 0
                break
            } else {
                digits.append(byte)
            }
        }
        exponent += (point ?? digits.count) - 1
        let zeros = digits.prefix { $0 == UInt8(ascii: "0") }.count
        guard zeros < digits.count else { return ([UInt8(ascii: "0")], 0) }
        digits.removeFirst(zeros)
        exponent -= zeros
        while digits.count > 1, digits.last == UInt8(ascii: "0") { digits.removeLast() }
        return (digits, exponent)
    }
}
