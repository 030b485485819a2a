// SPDX-License-Identifier: MIT

/// Values of a server that writes numbers and truths now as themselves, now as text. nil stands for whatever is null, an
/// array, an object, or not of the kind that is asked for.
extension JSONReader {
    /// Reads a number of either sign: finite, and as text in decimal notation (`27.0`, `-1.5e3`), with blanks around it
    /// or not.
    mutating func readNumber() throws(JSONFault) -> Double? {
        number(try readScalar())
    }

    /// Reads a number that cannot be negative.
    mutating func readQuantity() throws(JSONFault) -> Double? {
        guard let number = try readNumber(), number >= 0 else { return nil }
        // Not the negative zero, which would be printed with its sign.
        return number.magnitude
    }

    /// Reads a code or a count: a whole number that is not negative.
    mutating func readCode() throws(JSONFault) -> Int? {
        try readQuantity().flatMap { Int(exactly: $0) }
    }

    /// Reads yes or no: a truth, 0 or 1, or the text of one of these.
    mutating func readFlag() throws(JSONFault) -> Bool? {
        let scalar = try readScalar()
        if case .truth(let truth) = scalar { return truth }
        switch number(scalar) {
        case 0: return false
        case 1: return true
        default: break
        }
        guard case .text(let text) = scalar, text.range.count <= 16 else { return nil }
        switch string(text)?.lowercased() {
        case "false": return false
        case "true": return true
        default: return nil
        }
    }

    /// Reads a text as it is, or a number's shortest notation, cut to a size fit for a label; nil when it is empty.
    mutating func readText(limit: Int = 1024) throws(JSONFault) -> String? {
        guard let text = text(try readScalar()), !text.isEmpty else { return nil }
        return text.prefix(bytes: limit)
    }

    /// Reads an identifier: a text as it is, or a whole number with all its digits.
    mutating func readIdentifier() throws(JSONFault) -> String? {
        text(try readScalar())
    }

    /// A string's text; nil when it has half of a surrogate pair, which is no text.
    func string(_ text: Text) -> String? {
        text.isEscaped
            ? JSONEscapes.text(of: bytes[text.range])
            : String(decoding: bytes[text.range], as: UTF8.self)
    }

    /// A text as it is, or a number's shortest notation.
    func text(_ scalar: Scalar) -> String? {
        switch scalar {
        case .text(let text):
            string(text)
        case .number(let range):
            DecimalNumber.value(of: bytes[range]).map { number in
                (Int64(Substring(decoding: bytes[range], as: UTF8.self)) ?? Int64(exactly: number))
                    .map { String($0) } ?? number.description
            }
        case .truth, .nothing:
            nil
        }
    }

    private func number(_ scalar: Scalar) -> Double? {
        switch scalar {
        case .text(let text) where text.isEscaped: string(text).flatMap { DecimalNumber.value(of: Array($0.utf8)[...]) }
        case .text(let text): DecimalNumber.value(of: bytes[text.range])
        case .number(let range): DecimalNumber.value(of: bytes[range])
        case .truth, .nothing: nil
        }
    }
}
