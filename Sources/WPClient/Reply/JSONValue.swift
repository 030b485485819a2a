// SPDX-License-Identifier: MIT

/// A JSON value from a server that sends numbers and booleans either natively or as strings.
enum JSONValue {
    case object(JSONObject)
    case array([JSONValue])
    case text(String)
    /// A number as written.
    case number(String)
    case boolean(Bool)
    case null

    /// The object; nil for any other value.
    var object: JSONObject? {
        if case .object(let object) = self { object } else { nil }
    }

    /// The number, if finite; a string must be in decimal notation (`27.0`, `-1.5e3`), optionally surrounded by spaces.
    var number: Double? {
        switch self {
        case .text(let text): Self.number(text)
        case .number(let literal): Double(literal).flatMap { $0.isFinite ? $0 : nil }
        case .object, .array, .boolean, .null: nil
        }
    }

    /// A boolean, from a boolean, 0 or 1, or a string of one of these.
    var flag: Bool? {
        if case .boolean(let value) = self { return value }
        switch number {
        case 0: return false
        case 1: return true
        default: break
        }
        guard case .text(let text) = self else { return nil }
        let word = text.utf8.drop { $0 == 0x20 }.reversed().drop { $0 == 0x20 }.reversed()
        switch String(decoding: Array(word), as: UTF8.self).lowercased() {
        case "false", "no", "off": return false
        case "true", "yes", "on": return true
        default: return nil
        }
    }

    /// A string unchanged, or a number in its shortest notation.
    var text: String? {
        if case .text(let text) = self { return text }
        guard case .number = self, let number else { return nil }
        return Int64(exactly: number).map { String($0) } ?? number.description
    }

    /// A whole number of at most 64 bits with all its digits, written without an exponent.
    var wholeNumber: String? {
        guard case .number(let literal) = self else { return nil }
        let parts = literal.split(separator: ".")
        guard let whole = parts.first, parts.dropFirst().allSatisfy({ $0.allSatisfy { $0 == "0" } }) else { return nil }
        return Int64(whole).map { String($0) } ?? UInt64(whole).map { String($0) }
    }

    private static func number(_ text: String) -> Double? {
        var digits = text.utf8[...]
        while digits.first == 0x20 { digits.removeFirst() }
        while digits.last == 0x20 { digits.removeLast() }
        // Double also parses "nan", "infinity" and hexadecimal, which are not measurements.
        let isDecimal = digits.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "+"),
                UInt8(ascii: "e"), UInt8(ascii: "E"):
                true
            default: false
            }
        }
        guard isDecimal, digits.count <= 64, let number = Double(Substring(digits)), number.isFinite else { return nil }
        return number
    }
}

/// A JSON object. If a name occurs more than once, its first value is used.
final class JSONObject {
    let members: [(name: String, value: JSONValue)]

    init(_ members: [(name: String, value: JSONValue)] = []) {
        self.members = members
    }

    subscript(name: String) -> JSONValue? { members.first { $0.name == name }?.value }

    /// The object with a name; empty if missing.
    func object(_ name: String) -> JSONObject { self[name]?.object ?? JSONObject() }

    /// A number that cannot be negative.
    func quantity(_ name: String) -> Double? {
        guard let number = self[name]?.number, number >= 0 else { return nil }
        // Avoids negative zero, which would be printed with its sign.
        return number.magnitude
    }

    /// A code or a count: a whole number that is not negative.
    func code(_ name: String) -> Int? { quantity(name).flatMap { Int(exactly: $0) } }

    /// A boolean, false for invalid values; nil if missing, null or empty.
    func strictFlag(_ name: String) -> Bool? {
        switch self[name] {
        case nil, .null: nil
        case .text(let text) where text.utf8.allSatisfy { $0 == 0x20 }: nil
        case let value?: value.flag ?? false
        }
    }

    /// A string, truncated for a label; nil if empty.
    func text(_ name: String, limit: Int = 1024) -> String? {
        guard let text = self[name]?.text, !text.isEmpty else { return nil }
        return text.prefix(bytes: limit)
    }

    /// An identifier: a string unchanged, or a whole number with all its digits.
    func identifier(_ name: String) -> String? {
        if case .text(let text) = self[name] { text } else { self[name]?.wholeNumber }
    }
}
