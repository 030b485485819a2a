// SPDX-License-Identifier: MIT

/// Plain scalars (YAML 1.2.2, chapter 7.3.3).
extension YAMLParser {
    /// Reads a plain scalar over all its lines; leaves the cursor after its last character.
    mutating func plain(parent: Int, inFlow: Bool) throws(YAMLFault) -> String {
        try checkPlainStart(inFlow: inFlow)
        var text = Array(plainLine(inFlow: inFlow))
        while true {
            let end = cursor
            skipBlanks()
            guard byte == .lineFeed else {
                cursor = end
                break
            }
            let breaks = skipBreaksToPlainLine(parent: parent)
            let more = breaks > 0 ? plainLine(inFlow: inFlow) : []
            guard !more.isEmpty else {
                cursor = end
                break
            }
            Self.fold(breaks: breaks, into: &text)
            text.append(contentsOf: more)
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Folds line breaks between two lines of a flow scalar: one becomes a space, n become n - 1 line feeds.
    static func fold(breaks: Int, into text: inout [UInt8]) {
        if breaks == 1 {
            text.append(.space)
        } else {
            text.append(contentsOf: repeatElement(.lineFeed, count: breaks - 1))
        }
    }

    /// Advances to the next line that has content.
    /// - Returns: the line breaks skipped; 0 if the content cannot continue a scalar.
    private mutating func skipBreaksToPlainLine(parent: Int) -> Int {
        var breaks = 0
        while byte == .lineFeed {
            skipBreak()
            breaks += 1
            if isAtMarker { return 0 }
            skipSpaces()
            let lineIndent = indent
            skipBlanks()
            if !isAtLineEnd && (lineIndent <= parent || byte == .hash) { return 0 }
        }
        return isAtEnd ? 0 : breaks
    }

    /// Reads the part of a plain scalar on this line, without trailing spaces.
    private mutating func plainLine(inFlow: Bool) -> ArraySlice<UInt8> {
        let start = cursor.offset
        var end = start
        scan: while !isAtLineEnd {
            switch byte {
            case .space, .tab:
                advance()
                continue
            case .colon where !isPlainSafe(peek(1), inFlow: inFlow):
                break scan
            case .hash where cursor.offset == start || Self.isSpaceOrEnd(peek(-1)):
                break scan
            case let byte where inFlow && Self.isFlowIndicator(byte):
                break scan
            default:
                advance()
                end = cursor.offset
            }
        }
        cursor.offset = end
        return bytes[start..<end]
    }

    private func isPlainSafe(_ byte: UInt8, inFlow: Bool) -> Bool {
        !Self.isSpaceOrEnd(byte) && !(inFlow && Self.isFlowIndicator(byte))
    }

    private mutating func checkPlainStart(inFlow: Bool) throws(YAMLFault) {
        switch byte {
        case .dash where isPlainSafe(peek(1), inFlow: inFlow),
            .question where isPlainSafe(peek(1), inFlow: inFlow),
            .colon where isPlainSafe(peek(1), inFlow: inFlow):
            return
        case .question:
            throw fault(.unsupported, "a key after ? is not supported; write the key and a colon")
        case .colon:
            throw fault(.unsupported, "an empty key is not supported; write \"\" for it")
        case .dash:
            throw fault(.syntax, "a list item is not allowed here")
        case .asterisk, .ampersand, .exclamation, .bar, .greater, .percent, .comma, .hash, .closeBracket, .closeBrace,
            UInt8(ascii: "@"), UInt8(ascii: "`"):
            let character = Character(Unicode.Scalar(byte))
            throw fault(.syntax, "a value cannot begin with \(character) here; put it in quotes if it is text")
        default:
            return
        }
    }
}
