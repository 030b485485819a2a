// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

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
        let word = text.utf8.drop { $0 == 0x20 }.reversed().drop { $0 == 0x20 }.reversed()
        switch String(decoding: Array(word), as: UTF8.self).lowercased() {
        case "false", "no", "off": return false
        case "true", "yes", "on": return true
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
        if let number = shortDecimal(text) { return number }
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

    /// Nearly every measurement: up to 15 digits, with a point among them or not. Digits and power of ten are then exact
    /// as doubles, so their quotient is the nearest double, as Double's own reader would find with more effort.
    private static func shortDecimal(_ text: String) -> Double? {
        guard (1...16).contains(text.utf8.count) else { return nil }
        var digits = 0
        var count = 0
        var decimals: Int?
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"):
                digits = digits * 10 + Int(byte - UInt8(ascii: "0"))
                count += 1
                decimals? += 1
            case UInt8(ascii: ".") where decimals == nil && count > 0: decimals = 0
            default: return nil
            }
        }
        guard count <= 15, decimals != 0 else { return nil }
        return Double(digits) / powersOfTen[decimals ?? 0]
    }

    private static let powersOfTen: [Double] = [
        1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
    ]
}

/// In which form a server writes a value most of the time. A failed attempt at another form throws, which is dear.
enum LikelyForm {
    case text, number, truth
}

extension KeyedDecodingContainer {
    /// The value of a key; nil when it is missing, null, an array, an object, or cannot be read.
    func loose(_ key: Key, likely: LikelyForm = .text) -> LooseValue? {
        do {
            switch likely {
            case .text: return try decodeIfPresent(String.self, forKey: key).map(LooseValue.text)
            case .number: return try decodeIfPresent(Double.self, forKey: key).map(LooseValue.number)
            case .truth: return try decodeIfPresent(Bool.self, forKey: key).map(LooseValue.truth)
            }
        } catch {}
        if likely != .text, let text = try? decode(String.self, forKey: key) { return .text(text) }
        if likely != .number, let number = try? decode(Double.self, forKey: key) { return .number(number) }
        if likely != .truth, let truth = try? decode(Bool.self, forKey: key) { return .truth(truth) }
        return nil
    }

    /// A number of either sign.
    func number(_ key: Key, likely: LikelyForm = .text) -> Double? {
        loose(key, likely: likely)?.number
    }

    /// A number that cannot be negative.
    func quantity(_ key: Key, likely: LikelyForm = .text) -> Double? {
        guard let number = number(key, likely: likely), number >= 0 else { return nil }
        // Not the negative zero, which would be printed with its sign.
        return number.magnitude
    }

    /// A code or a count: a whole number that is not negative.
    func code(_ key: Key, likely: LikelyForm = .text) -> Int? {
        quantity(key, likely: likely).flatMap { Int(exactly: $0) }
    }

    /// Yes or no.
    func flag(_ key: Key, likely: LikelyForm = .text) -> Bool? {
        loose(key, likely: likely)?.flag
    }

    /// Yes or no, where what is there but says neither counts as no; nil when it is missing, null or empty.
    func strictFlag(_ key: Key, likely: LikelyForm = .text) -> Bool? {
        guard contains(key), (try? decodeNil(forKey: key)) != true else { return nil }
        guard let value = loose(key, likely: likely) else { return false }
        if case .text(let text) = value, text.utf8.allSatisfy({ $0 == 0x20 }) { return nil }
        return value.flag ?? false
    }

    /// A text, cut to a size fit for a label; nil when it is empty.
    func text(_ key: Key, limit: Int = 1024) -> String? {
        guard let text = loose(key)?.text, !text.isEmpty else { return nil }
        return text.prefix(bytes: limit)
    }

    /// An identifier: a text as it is, or a whole number that is read exactly. A fraction, and a number that could be
    /// mistaken for its neighbour because it has more digits than a 64-bit integer, is none.
    func identifier(_ key: Key) -> String? {
        switch loose(key) {
        case .text(let text): text
        case .number: wholeNumber(key)
        case .truth, nil: nil
        }
    }

    /// A whole number with all its digits. A decimal has enough of them to tell a fraction that the integer rounds away.
    private func wholeNumber(_ key: Key) -> String? {
        guard let exact = try? decode(Decimal.self, forKey: key) else { return nil }
        if let number = try? decode(Int64.self, forKey: key), Decimal(number) == exact { return String(number) }
        if let number = try? decode(UInt64.self, forKey: key), Decimal(number) == exact { return String(number) }
        return nil
    }
}
