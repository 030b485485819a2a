// SPDX-License-Identifier: MIT

/// A regular expression in RE2's syntax (github.com/google/re2/wiki/Syntax), translated to POSIX's extended syntax.
///
/// Translates `\d \w \s` and their negations, `\A \z`, `\xHH`, escapes inside brackets, groups with `?:` or a name,
/// lazy repetitions, and `(?i)` at the start. Everything else is the same in both, or an error.
struct RegularExpressionText {
    private static let maximumLength = 4096

    /// The expression in POSIX's syntax.
    private(set) var posix = ""
    /// Whether the expression began with `(?i)`.
    let ignoresCase: Bool
    private let characters: [Character]
    private var index = 0

    init(_ text: String) throws(NamePatternError) {
        guard text.utf8.count <= Self.maximumLength else {
            throw NamePatternError("longer than \(Self.maximumLength) bytes")
        }
        characters = Array(text)
        ignoresCase = text.hasPrefix("(?i)")
        if ignoresCase { index = 4 }
        while let character = next() {
            switch character {
            case "\\": posix += try escape()
            case "[": posix += try bracket()
            case "(" where accept("?"): try group()
            case "*", "+", "?", "}":
                posix.append(character)
                // Which of several matches is found does not affect whether there is one.
                _ = accept("?")
            default: posix.append(character)
            }
        }
    }

    private mutating func next() -> Character? {
        guard index < characters.count else { return nil }
        index += 1
        return characters[index - 1]
    }

    private mutating func accept(_ character: Character) -> Bool {
        guard index < characters.count, characters[index] == character else { return false }
        index += 1
        return true
    }

    /// Translates the characters after `(?`.
    private mutating func group() throws(NamePatternError) {
        let start = index
        posix += "("
        if accept(":") { return }
        _ = accept("P")
        guard accept("<"), let end = characters[index...].firstIndex(of: ">"), end > index else {
            throw NamePatternError("(? is supported only as (?:, (?P<name> and, at the start, (?i)", at: start)
        }
        guard characters[index..<end].allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" }) else {
            throw NamePatternError("invalid group name", at: index)
        }
        index = end + 1
    }

    /// Translates the character after a backslash outside brackets.
    private mutating func escape() throws(NamePatternError) -> String {
        let start = index
        switch next() {
        case "d": return "[0-9]"
        case "D": return "[^0-9]"
        case "w": return "[[:alnum:]_]"
        case "W": return "[^[:alnum:]_]"
        case "s": return "[[:space:]]"
        case "S": return "[^[:space:]]"
        case "A": return "^"
        case "z": return "$"
        case "b": return "\\b"
        case "B": return "\\B"
        case "x": return Self.literal(try hexadecimal())
        case let other? where other.isASCII && !other.isLetter && !other.isNumber: return Self.literal(other)
        case let other?: throw NamePatternError("unknown escape \\\(other)", at: start)
        case nil: throw NamePatternError("a backslash without a character", at: start - 1)
        }
    }

    private static func literal(_ character: Character) -> String {
        ".[]()*+?{}|^$\\".contains(character) ? "\\\(character)" : String(character)
    }

    /// Parses the two digits after `\x`.
    private mutating func hexadecimal() throws(NamePatternError) -> Character {
        let start = index
        guard let high = next()?.hexDigitValue, let low = next()?.hexDigitValue, 1..<128 ~= high * 16 + low else {
            throw NamePatternError("\\x needs two hexadecimal digits of an ASCII character", at: start)
        }
        return Character(Unicode.Scalar(UInt8(high * 16 + low)))
    }

    /// Translates the characters after `[`. POSIX has no escapes there: `]` is literal at the start, `-` at the end,
    /// `^` anywhere but at the start.
    private mutating func bracket() throws(NamePatternError) -> String {
        let start = index - 1
        let isNegated = accept("^")
        var members = ""
        var special: Set<Character> = []
        if accept("]") { special.insert("]") }
        while let character = next() {
            switch character {
            case "]":
                if special.contains("^"), members.isEmpty, !special.contains("]"), !isNegated {
                    // [^] and [^-]: no member can precede the caret.
                    return special.contains("-") ? "[-^]" : "\\^"
                }
                let end = ["^", "-"].filter(special.contains).map(String.init).joined()
                return "[\(isNegated ? "^" : "")\(special.contains("]") ? "]" : "")\(members)\(end)]"
            case "[" where accept(":"):
                guard let end = characters[index...].firstIndex(of: ":"), end + 1 < characters.count,
                    characters[end + 1] == "]"
                else {
                    throw NamePatternError("[: without :]", at: index)
                }
                members += "[:\(String(characters[index..<end])):]"
                index = end + 2
            case "\\":
                let escaped = index
                switch next() {
                case "d": members += "0-9"
                case "w": members += "[:alnum:]_"
                case "s": members += "[:space:]"
                case "x": members.append(try hexadecimal())
                case let other? where other.isASCII && !other.isLetter && !other.isNumber:
                    if "]^-".contains(other) { special.insert(other) } else { members.append(other) }
                case let other?: throw NamePatternError("unknown escape \\\(other) in brackets", at: escaped)
                case nil: break
                }
            case "^": special.insert("^")
            case "-" where members.isEmpty || (index < characters.count && characters[index] == "]"):
                special.insert("-")
            default: members.append(character)
            }
        }
        throw NamePatternError("[ without ]", at: start)
    }
}
