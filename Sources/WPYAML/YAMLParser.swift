// SPDX-License-Identifier: MIT

/// A recursive-descent parser for YAML 1.2.2 that never backtracks over a value: a scalar is a key if a colon follows
/// it.
///
/// Names follow the productions of the specification. "Indent" is the number of spaces before a construct; `parent` is
/// the indent of the enclosing construct, the specification's `n`, which is -1 for a document.
struct YAMLParser {
    struct Cursor {
        var offset = 0
        var line = 1
        var lineStart = 0
    }

    struct Anchor {
        var node: YAMLNode
        /// The number of nodes that an alias to this anchor counts as.
        var weight: Int
        /// The nesting depth of the node, including the node itself.
        var height: Int
    }

    let bytes: [UInt8]
    let limits: YAMLLimits
    var cursor = Cursor()
    var anchors: [String: Anchor] = [:]
    private(set) var nodes = 0
    private(set) var depth = 0
    private var columnMemo = (lineStart: 0, offset: 0, column: 1)

    /// - Parameter bytes: text normalized by ``YAMLText/normalized(_:)``.
    init(_ bytes: [UInt8], limits: YAMLLimits) {
        self.bytes = bytes
        self.limits = limits
    }

    // MARK: Lookahead

    /// The byte at the cursor; 0 at the end, because no text contains it.
    var byte: UInt8 { peek(0) }

    func peek(_ distance: Int) -> UInt8 {
        let index = cursor.offset + distance
        return index >= 0 && index < bytes.count ? bytes[index] : 0
    }

    var isAtEnd: Bool { cursor.offset >= bytes.count }
    var isAtLineEnd: Bool { isAtEnd || byte == .lineFeed }

    /// The column of the cursor; an indent if only spaces and indicators precede it.
    var indent: Int { cursor.offset - cursor.lineStart }

    /// Whether the indicator is at the cursor and followed by white space or the end.
    func isIndicator(_ indicator: UInt8) -> Bool {
        byte == indicator && Self.isSpaceOrEnd(peek(1))
    }

    /// Whether the cursor is at `---` or `...` at the start of a line.
    var isAtMarker: Bool { isAtMarker(.dash) || isAtMarker(.dot) }

    func isAtMarker(_ mark: UInt8) -> Bool {
        indent == 0 && byte == mark && peek(1) == mark && peek(2) == mark && Self.isSpaceOrEnd(peek(3))
    }

    /// Whether the document's content ends here.
    var isAtBoundary: Bool { isAtEnd || isAtMarker }

    static func isSpaceOrEnd(_ byte: UInt8) -> Bool {
        byte == .space || byte == .tab || byte == .lineFeed || byte == 0
    }

    static func isFlowIndicator(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "]"), UInt8(ascii: "{"), UInt8(ascii: "}"): true
        default: false
        }
    }

    /// The cursor as line and column. Columns count scalars; a memo avoids walking the same part of a line twice.
    mutating func position() -> YAMLPosition {
        if columnMemo.lineStart != cursor.lineStart || columnMemo.offset > cursor.offset {
            columnMemo = (cursor.lineStart, cursor.lineStart, 1)
        }
        while columnMemo.offset < min(cursor.offset, bytes.count) {
            if bytes[columnMemo.offset] & 0xC0 != 0x80 { columnMemo.column += 1 }
            columnMemo.offset += 1
        }
        return YAMLPosition(line: cursor.line, column: columnMemo.column)
    }

    mutating func fault(_ code: YAMLFault.Code, _ message: String) -> YAMLFault {
        YAMLFault(code, at: position(), message)
    }

    // MARK: Advancing

    mutating func advance(_ count: Int = 1) {
        cursor.offset += count
    }

    mutating func skipBreak() {
        cursor.offset += 1
        cursor.line += 1
        cursor.lineStart = cursor.offset
    }

    mutating func skipSpaces() {
        while byte == .space { advance() }
    }

    /// Skips spaces and tabs.
    /// - Returns: whether it skipped a tab.
    @discardableResult
    mutating func skipBlanks() -> Bool {
        var sawTab = false
        while byte == .space || byte == .tab {
            sawTab = sawTab || byte == .tab
            advance()
        }
        return sawTab
    }

    mutating func skipToLineEnd() {
        while !isAtLineEnd { advance() }
    }

    /// Skips a comment if there is one. `#` starts a comment only after white space.
    mutating func skipComment() throws(YAMLFault) {
        guard byte == .hash else { return }
        guard indent == 0 || Self.isSpaceOrEnd(peek(-1)) else {
            throw fault(.syntax, "a comment needs a space before its #")
        }
        skipToLineEnd()
    }

    /// Checks that the rest of the line after a value is blank or a comment, and advances to the next content.
    mutating func finishLine() throws(YAMLFault) {
        skipBlanks()
        try skipComment()
        guard isAtLineEnd else {
            throw fault(.syntax, "there is more text on the line after a complete value")
        }
        try skipToContent()
    }

    /// Advances from a line's start or end to the next content, document marker, or the end.
    mutating func skipToContent() throws(YAMLFault) {
        while !isAtEnd {
            if byte == .lineFeed {
                skipBreak()
                continue
            }
            if isAtMarker { return }
            skipSpaces()
            let content = cursor
            skipBlanks()
            if byte == .hash { skipToLineEnd() }
            if isAtLineEnd { continue }
            if cursor.offset != content.offset {
                cursor = content
                throw fault(.indentation, "a tab cannot indent a line; use spaces")
            }
            return
        }
    }

    // MARK: Counting

    mutating func countNodes(_ count: Int = 1) throws(YAMLFault) {
        let (sum, overflow) = nodes.addingReportingOverflow(count)
        guard !overflow, sum <= limits.nodes else {
            throw fault(.limit, "the document has more than the \(limits.nodes) values and keys allowed")
        }
        nodes = sum
    }

    mutating func enter() throws(YAMLFault) {
        depth += 1
        try checkDepth(depth)
    }

    mutating func leave() {
        depth -= 1
    }

    mutating func checkDepth(_ depth: Int) throws(YAMLFault) {
        guard depth <= limits.depth else {
            throw fault(.limit, "the document is deeper than the \(limits.depth) levels allowed")
        }
    }
}

extension UInt8 {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let space: UInt8 = 0x20
    static let hash = UInt8(ascii: "#")
    static let dash = UInt8(ascii: "-")
    static let dot = UInt8(ascii: ".")
    static let colon = UInt8(ascii: ":")
    static let comma = UInt8(ascii: ",")
    static let question = UInt8(ascii: "?")
    static let exclamation = UInt8(ascii: "!")
    static let ampersand = UInt8(ascii: "&")
    static let asterisk = UInt8(ascii: "*")
    static let percent = UInt8(ascii: "%")
    static let bar = UInt8(ascii: "|")
    static let greater = UInt8(ascii: ">")
    static let quote = UInt8(ascii: "'")
    static let doubleQuote = UInt8(ascii: "\"")
    static let backslash = UInt8(ascii: "\\")
    static let openBracket = UInt8(ascii: "[")
    static let closeBracket = UInt8(ascii: "]")
    static let openBrace = UInt8(ascii: "{")
    static let closeBrace = UInt8(ascii: "}")
}
