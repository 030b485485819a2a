// SPDX-License-Identifier: MIT

/// Compiles a regular expression of RE2's syntax (github.com/google/re2/wiki/Syntax), of which ``NamePattern`` says how
/// much.
struct PatternParser {
    /// Bounds what `{n,m}` inside `{n,m}` can make of a short text.
    private static let maximumInstructions = 10_000
    private static let maximumRepeat = 1000
    private static let maximumDepth = 200

    private let scalars: [Unicode.Scalar]
    private var index = 0
    private var depth = 0

    /// A piece of the program, whose jumps are relative to its start.
    private typealias Code = [PatternProgram.Instruction]

    init(_ text: String) {
        scalars = Array(text.unicodeScalars)
    }

    mutating func parse() throws(NamePatternError) -> PatternProgram {
        var ignoresCase = false
        if scalars.starts(with: "(?i)".unicodeScalars) {
            ignoresCase = true
            index = 4
        }
        let code = try alternation()
        guard index == scalars.count else { throw NamePatternError("unexpected )", at: index) }
        return PatternProgram(instructions: code + [.match], ignoresCase: ignoresCase)
    }

    private mutating func alternation() throws(NamePatternError) -> Code {
        depth += 1
        defer { depth -= 1 }
        guard depth < Self.maximumDepth else { throw NamePatternError("nested too deeply", at: index) }
        var code = try sequence()
        while accept("|") {
            let other = try sequence()
            // split(1, other) code jump(end) other
            code =
                [.split(1, code.count + 2)] + Self.shift(code, by: 1) + [.jump(code.count + 2 + other.count)]
                + Self.shift(other, by: code.count + 2)
        }
        return code
    }

    private mutating func sequence() throws(NamePatternError) -> Code {
        var code: Code = []
        while let scalar = peek, scalar != "|", scalar != ")" {
            let start = index
            var atom = try atom()
            atom = try repeated(atom)
            guard code.count + atom.count <= Self.maximumInstructions else {
                throw NamePatternError("too many repetitions", at: start)
            }
            code += Self.shift(atom, by: code.count)
        }
        return code
    }

    private mutating func repeated(_ atom: Code) throws(NamePatternError) -> Code {
        let start = index
        var code = atom
        if accept("*") {
            code = Self.many(atom)
        } else if accept("+") {
            code = atom + Self.shift(Self.many(atom), by: atom.count)
        } else if accept("?") {
            code = Self.optional(atom)
        } else if let (least, most) = try bounds() {
            guard least <= Self.maximumRepeat, (most ?? 0) <= Self.maximumRepeat, least <= most ?? least,
                (max(least, most ?? 0) + 1) * (atom.count + 2) <= Self.maximumInstructions
            else { throw NamePatternError("invalid repetition", at: start) }
            code = []
            for _ in 0..<least { code += Self.shift(atom, by: code.count) }
            if let most {
                for _ in least..<most { code += Self.shift(Self.optional(atom), by: code.count) }
            } else {
                code += Self.shift(Self.many(atom), by: code.count)
            }
        } else {
            return code
        }
        // Whether a repetition is lazy makes no difference to whether there is a match.
        _ = accept("?")
        if let scalar = peek, scalar == "*" || scalar == "+" || scalar == "?" {
            throw NamePatternError("repetition of a repetition", at: index)
        }
        return code
    }

    /// `{n}`, `{n,}` or `{n,m}`; nil for a brace that stands for itself.
    private mutating func bounds() throws(NamePatternError) -> (Int, Int?)? {
        guard peek == "{" else { return nil }
        let start = index
        index += 1
        let least = number()
        var most = least
        if accept(",") { most = number() }
        guard let least, accept("}") else {
            index = start
            return nil
        }
        return (least, most)
    }

    private mutating func number() -> Int? {
        var value: Int?
        while let scalar = peek, let digit = scalar.isASCII ? Int(String(scalar)) : nil {
            value = min((value ?? 0) * 10 + digit, 1_000_000)
            index += 1
        }
        return value
    }

    private mutating func atom() throws(NamePatternError) -> Code {
        let start = index
        guard let scalar = next() else { throw NamePatternError("unexpected end", at: start) }
        switch scalar {
        case "^": return [.assert(.start)]
        case "$": return [.assert(.end)]
        case ".": return [.scalars(.init(ranges: [10...10], isNegated: true))]
        case "*", "+", "?": throw NamePatternError("nothing to repeat", at: start)
        case "[": return [.scalars(try PatternClass.parse(scalars, &index))]
        case "(":
            try skipGroupPrefix()
            let code = try alternation()
            guard accept(")") else { throw NamePatternError("missing )", at: start) }
            return code
        case "\\":
            switch peek {
            case "A": index += 1; return [.assert(.start)]
            case "z": index += 1; return [.assert(.end)]
            case "b": index += 1; return [.assert(.wordBoundary)]
            case "B": index += 1; return [.assert(.noWordBoundary)]
            default: return [.scalars(try PatternClass.escape(scalars, &index))]
            }
        default: return [.scalars(.init(ranges: [scalar.value...scalar.value]))]
        }
    }

    /// `?:`, or the name of a group, which is of no use here.
    private mutating func skipGroupPrefix() throws(NamePatternError) {
        guard accept("?") else { return }
        let start = index
        if accept(":") { return }
        _ = accept("P")
        guard accept("<"), let end = scalars[index...].firstIndex(of: ">"), end > index,
            scalars[index..<end].allSatisfy({ $0.properties.isAlphabetic || $0 == "_" || ("0"..."9").contains($0) })
        else { throw NamePatternError("unsupported group", at: start - 1) }
        index = end + 1
    }

    private var peek: Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    private mutating func next() -> Unicode.Scalar? {
        defer { index += 1 }
        return peek
    }

    private mutating func accept(_ scalar: Unicode.Scalar) -> Bool {
        guard peek == scalar else { return false }
        index += 1
        return true
    }

    private static func many(_ code: Code) -> Code {
        [.split(1, code.count + 2)] + shift(code, by: 1) + [.jump(0)]
    }

    private static func optional(_ code: Code) -> Code {
        [.split(1, code.count + 1)] + shift(code, by: 1)
    }

    private static func shift(_ code: Code, by offset: Int) -> Code {
        guard offset != 0 else { return code }
        return code.map { instruction in
            switch instruction {
            case .split(let one, let other): .split(one + offset, other + offset)
            case .jump(let target): .jump(target + offset)
            default: instruction
            }
        }
    }
}
