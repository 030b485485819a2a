// SPDX-License-Identifier: MIT

/// The value of a scalar in the core schema (YAML 1.2.2, chapter 10.3).
public enum YAMLValue: Sendable, Hashable {
    /// `null`, `~` or empty.
    case null
    /// `true` or `false`. Not `yes` or `on`, which are booleans only in YAML 1.1.
    case boolean(Bool)
    /// A whole number in decimal, `0o` octal or `0x` hexadecimal. A leading zero does not make it octal.
    case integer(Int)
    /// A number with a point or an exponent, `.inf` or `.nan`.
    case float(Double)
    /// Any other scalar.
    case string(String)
}

extension YAMLScalar {
    /// The value in the core schema. Quoted and block scalars are strings; plain ones are matched against null,
    /// boolean, integer and float in this order.
    ///
    /// Nil if the value cannot be represented: an integer beyond 64 bits, a float beyond the range of a double, or text
    /// that does not match its explicit tag.
    public func resolved() -> YAMLValue? {
        switch tag {
        case nil:
            return style == .plain ? YAMLCoreSchema.plain(text) : .string(text)
        case .string:
            return .string(text)
        case .null:
            return YAMLCoreSchema.isNull(text) ? .null : nil
        case .boolean:
            return YAMLCoreSchema.boolean(text).map { .boolean($0) }
        case .integer:
            return YAMLCoreSchema.isInteger(text) ? YAMLCoreSchema.integer(text).map { .integer($0) } : nil
        case .float:
            return YAMLCoreSchema.float(text).map { .float($0) }
        case .sequence, .mapping:
            return nil
        }
    }

    /// Whether the scalar is null: a plain `null`, `~` or an empty scalar, without a tag that says otherwise.
    package var isNull: Bool { resolved() == .null }
}

/// The syntax of plain scalars.
enum YAMLCoreSchema {
    static func plain(_ text: String) -> YAMLValue? {
        if isNull(text) { return .null }
        if let value = boolean(text) { return .boolean(value) }
        if isInteger(text) { return integer(text).map { .integer($0) } }
        if isFloat(text) { return float(text).map { .float($0) } }
        return .string(text)
    }

    static func isNull(_ text: String) -> Bool {
        ["", "~", "null", "Null", "NULL"].contains(text)
    }

    static func boolean(_ text: String) -> Bool? {
        switch text {
        case "true", "True", "TRUE": true
        case "false", "False", "FALSE": false
        default: nil
        }
    }

    static func isInteger(_ text: String) -> Bool {
        let (digits, radix) = digits(of: text)
        let unsigned = radix == 10 && (text.hasPrefix("-") || text.hasPrefix("+")) ? digits.dropFirst() : digits
        return !unsigned.isEmpty
            && unsigned.utf8.allSatisfy { byte in
                Character(Unicode.Scalar(byte)).hexDigitValue.map { $0 < radix } ?? false
            }
    }

    /// The value of text that ``isInteger(_:)`` accepts; nil if it needs more than 64 bits.
    static func integer(_ text: String) -> Int? {
        let (digits, radix) = digits(of: text)
        return Int(digits, radix: radix)
    }

    private static func digits(of text: String) -> (digits: Substring, radix: Int) {
        if text.hasPrefix("0o") { return (text.dropFirst(2), 8) }
        if text.hasPrefix("0x") { return (text.dropFirst(2), 16) }
        return (text[...], 10)
    }

    /// Whether text is a number with a point or an exponent, or a form of infinity or not-a-number.
    static func isFloat(_ text: String) -> Bool { special(text) != nil || decimal(text) != nil }

    /// The value of a number; nil if it is not one, or is too large for a double.
    static func float(_ text: String) -> Double? {
        if let value = special(text) { return value }
        guard let value = decimal(text), value.isFinite else { return nil }
        return value
    }

    /// A decimal number, infinite if it is too large. `Double` would also accept hexadecimal numbers and `nan`.
    private static func decimal(_ text: String) -> Double? {
        let isDecimal = text.utf8.allSatisfy { (0x30...0x39).contains($0) || "+-.eE".utf8.contains($0) }
        return isDecimal ? Double(text) : nil
    }

    private static func special(_ text: String) -> Double? {
        switch text {
        case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF": .infinity
        case "-.inf", "-.Inf", "-.INF": -.infinity
        case ".nan", ".NaN", ".NAN": .nan
        default: nil
        }
    }
}
