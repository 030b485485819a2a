// SPDX-License-Identifier: MIT

/// A JSON scalar of a server that writes numbers and truths now as themselves, now as text.
enum LooseValue {
    case text(String)
    case number(Double)
    case truth(Bool)

    /// The number, when it is one: finite, and as text in decimal notation (`27.0`, `-1.5e3`), with blanks around it
    /// or not.
    var number: Double? {
        switch self {
        case .text(let text): Self.number(text)
        case .number(let number): number.isFinite ? number : nil
        case .truth: nil
        }
    }

    /// Yes or no, from a truth, 0 or 1, or the text of one of these.
    var flag: Bool? {
        if case .truth(let truth) = self { return truth }
        switch number {
        case 0: return false
        case 1: return true
        default: break
        }
        guard case .text(let text) = self else { return nil }
        switch text.lowercased() {
        case "false": return false
        case "true": return true
        default: return nil
        }
    }

    /// A text as it is, or a number's shortest notation; nil for a truth.
    var text: String? {
        switch self {
        case .text(let text): text
        case .number(let number): Int64(exactly: number).map { String($0) } ?? number.description
        case .truth: nil
        }
    }

    private static func number(_ text: String) -> Double? {
        var digits = text.utf8[...]
        while digits.first == 0x20 { digits.removeFirst() }
        while digits.last == 0x20 { digits.removeLast() }
        // Double's own reader also takes "nan", "infinity" and hexadecimal, which are no measurement.
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

extension KeyedDecodingContainer {
    /// The value of a key; nil when it is missing, null, an array, an object, or cannot be read.
    func loose(_ key: Key) -> LooseValue? {
        // A text first: that is what the server sends, and a failed attempt is not free.
        do {
            return try decodeIfPresent(String.self, forKey: key).map(LooseValue.text)
        } catch {}
        if let number = try? decode(Double.self, forKey: key) { return .number(number) }
        if let truth = try? decode(Bool.self, forKey: key) { return .truth(truth) }
        return nil
    }

    /// A number of either sign.
    func number(_ key: Key) -> Double? {
        loose(key)?.number
    }

    /// A number that cannot be negative.
    func quantity(_ key: Key) -> Double? {
        guard let number = number(key), number >= 0 else { return nil }
        // Not the negative zero, which would be printed with its sign.
        return number.magnitude
    }

    /// A code or a count: a whole number that is not negative.
    func code(_ key: Key) -> Int? {
        quantity(key).flatMap { Int(exactly: $0) }
    }

    /// Yes or no.
    func flag(_ key: Key) -> Bool? {
        loose(key)?.flag
    }

    /// A text, cut to a size fit for a label; nil when it is empty.
    func text(_ key: Key, limit: Int = 1024) -> String? {
        guard let text = loose(key)?.text, !text.isEmpty else { return nil }
        return text.prefix(bytes: limit)
    }

    /// An identifier: a text as it is, or a whole number with all its digits.
    func identifier(_ key: Key) -> String? {
        switch loose(key) {
        case .text(let text): text
        case .number(let number): (try? decode(Int64.self, forKey: key)).map { String($0) } ?? number.description
        case .truth, nil: nil
        }
    }
}
