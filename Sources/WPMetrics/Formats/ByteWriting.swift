// SPDX-License-Identifier: MIT

// Appends the elements of both formats to a buffer.
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

    /// Appends a number as the value of `le` or `quantile`, formatted as Go's `%g`, like Prometheus's own libraries.
    /// - Parameter keepsPoint: whether to write `1.0`, the canonical form of OpenMetrics, instead of `1`.
    mutating func appendBound(_ value: Double, keepsPoint: Bool) {
        guard value.isFinite else { return appendNonFinite(value) }
        let text = value.description
        guard value.magnitude >= 1e6, !text.contains("e") else {
            append(contentsOf: text.utf8)
            if !keepsPoint, suffix(2).elementsEqual(".0".utf8) { removeLast(2) }
            return
        }
        // Go writes an exponent from 10^6, Swift only beyond 2^53.
        let whole = text.prefix { $0 != "." }.count { $0 != "-" }
        var digits = text.filter(\.isNumber)
        digits = String(digits.prefix(digits.count - digits.reversed().prefix { $0 == "0" }.count))
        let fraction = digits.count > 1 ? "." + digits.dropFirst() : ""
        append(contentsOf: "\(value < 0 ? "-" : "")\(digits.prefix(1))\(fraction)".utf8)
        append(contentsOf: "\(whole <= 10 ? "e+0" : "e+")\(whole - 1)".utf8)
    }

    private mutating func appendNonFinite(_ value: Double) {
        if value.isNaN {
            append("NaN")
        } else {
            append(value < 0 ? "-Inf" : "+Inf")
        }
    }
}
