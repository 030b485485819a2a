// SPDX-License-Identifier: MIT

/// Literal and folded block scalars (YAML 1.2.2, chapter 8.1).
extension YAMLParser {
    private enum Chomping {
        case strip, clip, keep
    }

    /// Reads a block scalar from its indicator; leaves the cursor at the start of the next line.
    mutating func blockScalar(parent: Int) throws(YAMLFault) -> YAMLScalar {
        let style: YAMLScalar.Style = byte == .bar ? .literal : .folded
        advance()
        let header = try blockScalarHeader()
        if !isAtEnd { skipBreak() }
        let contentIndent =
            if let given = header.indent { max(parent, 0) + given } else { try detectIndent(parent: parent) }

        var text: [UInt8] = []
        var breaks = 0
        var wasSpaced = true
        while let line = try nextLine(indent: contentIndent) {
            if line.isEmpty {
                breaks += 1
                continue
            }
            let isSpaced = line.first == .space || line.first == .tab
            if style == .folded && !isSpaced && !wasSpaced {
                Self.fold(breaks: breaks, into: &text)
            } else {
                text.append(contentsOf: repeatElement(.lineFeed, count: breaks))
            }
            text.append(contentsOf: line)
            wasSpaced = isSpaced
            breaks = 1
        }
        switch header.chomping {
        case .strip: break
        case .clip: if !text.isEmpty { text.append(.lineFeed) }
        case .keep: text.append(contentsOf: repeatElement(.lineFeed, count: breaks))
        }
        return YAMLScalar(String(decoding: text, as: UTF8.self), style: style)
    }

    private mutating func blockScalarHeader() throws(YAMLFault) -> (chomping: Chomping, indent: Int?) {
        var chomping: Chomping?
        var indent: Int?
        while !Self.isSpaceOrEnd(byte) {
            switch byte {
            case .dash where chomping == nil: chomping = .strip
            case UInt8(ascii: "+") where chomping == nil: chomping = .keep
            case 0x31...0x39 where indent == nil: indent = Int(byte - 0x30)
            default: throw fault(.syntax, "only one of + and - and one digit from 1 to 9 may follow | or >")
            }
            advance()
        }
        skipBlanks()
        try skipComment()
        guard isAtLineEnd else { throw fault(.syntax, "the text of a block scalar begins on the line after | or >") }
        return (chomping ?? .clip, indent)
    }

    /// The indent of the first line that is not empty; no earlier line may have more spaces.
    private mutating func detectIndent(parent: Int) throws(YAMLFault) -> Int {
        let start = cursor
        defer { cursor = start }
        var widest = 0
        while true {
            skipSpaces()
            if byte == .lineFeed {
                widest = max(widest, indent)
                skipBreak()
                continue
            }
            if isAtEnd || indent <= parent { return max(parent + 1, widest) }
            guard widest <= indent else {
                throw fault(.indentation, "an empty line before this one has more spaces; give the indent after | or >")
            }
            return indent
        }
    }

    /// The next line without its indent, or nil at the end of the scalar. Advances to the line after it.
    private mutating func nextLine(indent contentIndent: Int) throws(YAMLFault) -> ArraySlice<UInt8>? {
        if isAtEnd || isAtMarker { return nil }
        let start = cursor
        while byte == .space && indent < contentIndent { advance() }
        guard indent == contentIndent || byte == .lineFeed else {
            if byte == .tab { throw fault(.indentation, "a tab cannot indent a line; use spaces") }
            cursor = start
            return nil
        }
        let content = cursor.offset
        skipToLineEnd()
        let line = bytes[content..<cursor.offset]
        skipBreak()
        return line
    }
}
