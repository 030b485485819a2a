// SPDX-License-Identifier: MIT

/// Quoted scalars (YAML 1.2.2, chapters 5.7, 7.3.1 and 7.3.2).
extension YAMLParser {
    mutating func singleQuoted(parent: Int) throws(YAMLFault) -> String {
        let start = position()
        var text: [UInt8] = []
        advance()
        while true {
            if isAtEnd { throw unclosed(start) }
            switch byte {
            case .quote where peek(1) == .quote:
                text.append(.quote)
                advance(2)
            case .quote:
                advance()
                return String(decoding: text, as: UTF8.self)
            case .lineFeed:
                Self.trimBlanks(&text, downTo: 0)
                Self.fold(breaks: try skipBreaks(start, parent: parent), into: &text)
            default:
                text.append(byte)
                advance()
            }
        }
    }

    mutating func doubleQuoted(parent: Int) throws(YAMLFault) -> String {
        let start = position()
        var text: [UInt8] = []
        // Blanks before a line break are dropped unless they or the line break are escaped.
        var kept = 0
        advance()
        while true {
            if isAtEnd { throw unclosed(start) }
            switch byte {
            case .doubleQuote:
                advance()
                return String(decoding: text, as: UTF8.self)
            case .backslash where peek(1) == .lineFeed:
                advance()
                let breaks = try skipBreaks(start, parent: parent)
                text.append(contentsOf: repeatElement(.lineFeed, count: breaks - 1))
                kept = text.count
            case .backslash:
                text.append(contentsOf: try escape())
                kept = text.count
            case .lineFeed:
                Self.trimBlanks(&text, downTo: kept)
                Self.fold(breaks: try skipBreaks(start, parent: parent), into: &text)
                kept = text.count
            default:
                text.append(byte)
                advance()
            }
        }
    }

    private func unclosed(_ start: YAMLPosition) -> YAMLFault {
        YAMLFault(.syntax, at: start, "this quote is never closed")
    }

    private static func trimBlanks(_ text: inout [UInt8], downTo kept: Int) {
        while text.count > kept, let last = text.last, last == .space || last == .tab { text.removeLast() }
    }

    /// Advances to the next line that has content.
    /// - Returns: the line breaks skipped, at least 1.
    private mutating func skipBreaks(_ start: YAMLPosition, parent: Int) throws(YAMLFault) -> Int {
        var breaks = 0
        while byte == .lineFeed {
            skipBreak()
            breaks += 1
            try checkContinuationLine(parent: parent)
            if byte == .hash && indent <= parent {
                throw fault(.indentation, "this line continues a quoted value and must be indented further")
            }
        }
        return breaks
    }

    private mutating func escape() throws(YAMLFault) -> [UInt8] {
        advance()
        let simple: [UInt8]? =
            switch byte {
            case UInt8(ascii: "0"): [0x00]
            case UInt8(ascii: "a"): [0x07]
            case UInt8(ascii: "b"): [0x08]
            case UInt8(ascii: "t"), .tab: [0x09]
            case UInt8(ascii: "n"): [0x0A]
            case UInt8(ascii: "v"): [0x0B]
            case UInt8(ascii: "f"): [0x0C]
            case UInt8(ascii: "r"): [0x0D]
            case UInt8(ascii: "e"): [0x1B]
            case .space, .doubleQuote, .backslash, UInt8(ascii: "/"): [byte]
            case UInt8(ascii: "N"): Array("\u{85}".utf8)
            case UInt8(ascii: "_"): Array("\u{A0}".utf8)
            case UInt8(ascii: "L"): Array("\u{2028}".utf8)
            case UInt8(ascii: "P"): Array("\u{2029}".utf8)
            default: nil
            }
        if let simple {
            advance()
            return simple
        }
        switch byte {
        case UInt8(ascii: "x"): return try scalarEscape(digits: 2)
        case UInt8(ascii: "u"): return try scalarEscape(digits: 4)
        case UInt8(ascii: "U"): return try scalarEscape(digits: 8)
        default: throw fault(.syntax, "YAML has no such escape; in double quotes a backslash is written \\\\")
        }
    }

    private mutating func scalarEscape(digits count: Int) throws(YAMLFault) -> [UInt8] {
        advance()
        var value: UInt32 = 0
        for _ in 0..<count {
            guard let digit = Self.hexadecimalDigit(byte) else {
                throw fault(.syntax, "\(count) hexadecimal digits are expected in this escape")
            }
            value = value << 4 | digit
            advance()
        }
        guard let scalar = Unicode.Scalar(value) else {
            throw fault(
                .unsupported,
                "this escape is not a Unicode scalar; write characters beyond U+FFFF as \\U and 8 digits"
            )
        }
        return Array(String(Character(scalar)).utf8)
    }

    private static func hexadecimalDigit(_ byte: UInt8) -> UInt32? {
        switch byte {
        case 0x30...0x39: UInt32(byte - 0x30)
        case 0x41...0x46: UInt32(byte - 0x41 + 10)
        case 0x61...0x66: UInt32(byte - 0x61 + 10)
        default: nil
        }
    }
}
