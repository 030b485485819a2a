// SPDX-License-Identifier: MIT

/// The value of a scalar in the core schema (YAML 1.2.2, chapter 10.3).
public enum YAMLValue: Sendable, Hashable {
    /// `null`, `~` or empty.
    case null
    /// `true` or `false`. Not `yes` and `on`, which were booleans in YAML 1.1 only.
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
            let isNumber = YAMLCoreSchema.isFloat(text) || YAMLCoreSchema.isDecimal(text)
            return isNumber ? YAMLCoreSchema.float(text).map { .float($0) } : nil
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
        if let digits = digits(of: text, after: "0o") { return digits.allSatisfy { (0x30...0x37).contains($0) } }
        if let digits = digits(of: text, after: "0x") { return digits.allSatisfy(isHexadecimal) }
        return isDecimal(text)
    }

    static func isDecimal(_ text: String) -> Bool {
        let digits = unsigned(text)
        return !digits.isEmpty && digits.allSatisfy(isDigit)
    }

    /// The value of text that ``isInteger(_:)`` accepts; nil if it needs more than 64 bits.
    static func integer(_ text: String) -> Int? {
        if text.hasPrefix("0o") { return Int(text.dropFirst(2), radix: 8) }
        if text.hasPrefix("0x") { return Int(text.dropFirst(2), radix: 16) }
        return Int(text)
    }

    /// `[-+]? ( \. [0-9]+ | [0-9]+ ( \. [0-9]* )? ) ( [eE] [-+]? [0-9]+ )?`, or a form of infinity or not-a-number.
    static func isFloat(_ text: String) -> Bool {
        if special(text) != nil { return true }
        var rest = unsigned(text)[...]
        let whole = rest.prefix(while: isDigit)
        rest = rest.dropFirst(whole.count)
        var hasFraction = false
        if rest.first == UInt8(ascii: ".") {
            let fraction = rest.dropFirst().prefix(while: isDigit)
            if whole.isEmpty && fraction.isEmpty { return false }
            rest = rest.dropFirst(1 + fraction.count)
            hasFraction = true
        } else if whole.isEmpty {
            return false
        }
        guard let mark = rest.first else { return hasFraction }
        guard mark == UInt8(ascii: "e") || mark == UInt8(ascii: "E") else { return false }
        rest = rest.dropFirst()
        if let sign = rest.first, isSign(sign) { rest = rest.dropFirst() }
        return !rest.isEmpty && rest.allSatisfy(isDigit)
    }

    /// The value of text that ``isFloat(_:)`` accepts; nil if it is too large for a double.
    static func float(_ text: String) -> Double? {
        if let value = special(text) { return value }
        var literal = text.hasPrefix("+") ? String(text.dropFirst()) : text
        literal = literal.hasSuffix(".") ? String(literal.dropLast()) : literal
        guard let value = Double(literal), value.isFinite else { return nil }
        return value
    }

    private static func special(_ text: String) -> Double? {
        switch text {
        case ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF": .infinity
        case "-.inf", "-.Inf", "-.INF": -.infinity
        case ".nan", ".NaN", ".NAN": .nan
        default: nil
        }
    }

    private static func unsigned(_ text: String) -> [UInt8] {
        let bytes = Array(text.utf8)
        guard let first = bytes.first, isSign(first) else { return bytes }
        return Array(bytes.dropFirst())
    }

    private static func digits(of text: String, after prefix: String) -> [UInt8]? {
        guard text.hasPrefix(prefix), text.utf8.count > prefix.utf8.count else { return nil }
        return Array(text.utf8.dropFirst(prefix.utf8.count))
    }

    private static func isSign(_ byte: UInt8) -> Bool { byte == UInt8(ascii: "-") || byte == UInt8(ascii: "+") }
    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    private static func isHexadecimal(_ byte: UInt8) -> Bool {
        isDigit(byte) || (0x41...0x46).contains(byte) || (0x61...0x66).contains(byte)
    }
}
