// SPDX-License-Identifier: MIT

/// Flow collections, and the nodes that they may contain (YAML 1.2.2, chapters 7.4 and 7.5).
extension YAMLParser {
    /// Reads a flow collection, a quoted or a plain scalar, without properties.
    /// - Parameter parent: the indent that continuation lines must exceed.
    mutating func flowContent(parent: Int, inFlow: Bool) throws(YAMLFault) -> YAMLNode.Content {
        switch byte {
        case .openBracket:
            return .sequence(try flowSequence(parent: parent))
        case .openBrace:
            return .mapping(try flowMapping(parent: parent))
        case .doubleQuote:
            return .scalar(YAMLScalar(try doubleQuoted(parent: parent), style: .doubleQuoted))
        case .quote:
            return .scalar(YAMLScalar(try singleQuoted(parent: parent), style: .singleQuoted))
        default:
            return .scalar(YAMLScalar(try plain(parent: parent, inFlow: inFlow)))
        }
    }

    /// Reads a node inside a flow collection; a node without content is null.
    private mutating func flowNode(parent: Int) throws(YAMLFault) -> FlowNode {
        try enter()
        defer { leave() }
        let before = nodes
        try countNodes()
        let location = position()
        let line = cursor.line
        let pending = try properties(inFlow: true)
        if byte == .asterisk {
            guard pending.isEmpty else { throw fault(.syntax, "an alias cannot have an anchor or tag") }
            return FlowNode(node: try alias(), isOneLine: true, isJSON: false)
        }
        if !pending.isEmpty {
            try skipFlowSpace(parent: parent)
            if isAtFlowNodeEnd {
                let node = try finish(.scalar(YAMLScalar("")), pending, at: location, countedFrom: before)
                return FlowNode(node: node, isOneLine: cursor.line == line, isJSON: false)
            }
        }
        let content = try flowContent(parent: parent, inFlow: true)
        var isJSON = true
        if case .scalar(let scalar) = content, scalar.style == .plain { isJSON = false }
        return FlowNode(
            node: try finish(content, pending, at: location, countedFrom: before),
            isOneLine: cursor.line == line,
            isJSON: isJSON
        )
    }

    private struct FlowNode {
        var node: YAMLNode
        var isOneLine: Bool
        /// Whether it ends with a quote or bracket, so that a colon after it needs no space (YAML 1.2.2, 7.4).
        var isJSON: Bool
    }

    private var isAtFlowNodeEnd: Bool {
        byte == .comma || byte == .closeBracket || byte == .closeBrace || isAtFlowColon(afterJSON: false)
    }

    private func isAtFlowColon(afterJSON: Bool) -> Bool {
        byte == .colon && (afterJSON || Self.isSpaceOrEnd(peek(1)) || Self.isFlowIndicator(peek(1)))
    }

    private mutating func flowSequence(parent: Int) throws(YAMLFault) -> [YAMLNode] {
        let start = position()
        var items: [YAMLNode] = []
        advance()
        while try !closes(.closeBracket, start, parent: parent) {
            let location = position()
            let item = try flowNode(parent: parent)
            let end = cursor
            skipBlanks()
            if isAtFlowColon(afterJSON: item.isJSON) {
                guard item.isOneLine else { throw fault(.syntax, "a key in a list must fit on one line") }
                try countNodes()
                var pair = YAMLEntries()
                try pair.append(try keyText(of: item.node), at: location, try flowValue(start, parent: parent))
                items.append(YAMLNode(.mapping(pair.list), at: location))
            } else {
                cursor = end
                items.append(item.node)
            }
            try separate(.closeBracket, start, parent: parent)
        }
        return items
    }

    private mutating func flowMapping(parent: Int) throws(YAMLFault) -> [YAMLEntry] {
        let start = position()
        var entries = YAMLEntries()
        advance()
        while try !closes(.closeBrace, start, parent: parent) {
            let location = position()
            let key = try flowNode(parent: parent)
            let text = try keyText(of: key.node)
            try skipFlowSpace(parent: parent)
            if isAtFlowColon(afterJSON: key.isJSON) {
                try entries.append(text, at: location, try flowValue(start, parent: parent))
            } else {
                try countNodes()
                try entries.append(text, at: location, YAMLNode(.scalar(YAMLScalar("")), at: location))
            }
            try separate(.closeBrace, start, parent: parent)
        }
        return entries.list
    }

    /// The value after the colon at the cursor, or null if there is none.
    private mutating func flowValue(_ start: YAMLPosition, parent: Int) throws(YAMLFault) -> YAMLNode {
        advance()
        let location = position()
        try skipFlowSpace(parent: parent)
        if isAtFlowNodeEnd {
            try countNodes()
            return YAMLNode(.scalar(YAMLScalar("")), at: location)
        }
        try checkOpen(start)
        return try flowNode(parent: parent).node
    }

    /// Whether the collection ends here; if so, advances past its end.
    private mutating func closes(
        _ end: UInt8,
        _ start: YAMLPosition,
        parent: Int
    ) throws(YAMLFault) -> Bool {
        try skipFlowSpace(parent: parent)
        try checkOpen(start)
        guard byte == end else { return false }
        advance()
        return true
    }

    /// Reads the comma after an entry; leaves the end for ``closes(_:_:parent:)``.
    private mutating func separate(
        _ end: UInt8,
        _ start: YAMLPosition,
        parent: Int
    ) throws(YAMLFault) {
        try skipFlowSpace(parent: parent)
        try checkOpen(start)
        if byte == end { return }
        guard byte == .comma else {
            let closing = Character(Unicode.Scalar(end))
            throw fault(.syntax, "a comma or \(closing) is expected after this entry")
        }
        advance()
    }

    private func checkOpen(_ start: YAMLPosition) throws(YAMLFault) {
        if isAtEnd { throw YAMLFault(.syntax, at: start, "this bracket is never closed") }
    }

    /// Skips white space, line breaks and comments inside a flow collection.
    private mutating func skipFlowSpace(parent: Int) throws(YAMLFault) {
        while true {
            skipBlanks()
            try skipComment()
            guard byte == .lineFeed else { return }
            skipBreak()
            try checkContinuationLine(parent: parent)
        }
    }

    /// Checks a line inside a flow collection or a quoted scalar: content must be indented with more spaces than the
    /// parent and not be a document marker. Skips leading spaces.
    mutating func checkContinuationLine(parent: Int) throws(YAMLFault) {
        if isAtMarker { throw fault(.syntax, "a document marker is not allowed inside a value") }
        skipSpaces()
        let lineIndent = indent
        skipBlanks()
        if isAtLineEnd || byte == .hash { return }
        guard lineIndent > parent else {
            throw fault(
                .indentation,
                "this line continues a value and must be indented by more than \(parent), "
                    + "unless a quote or bracket above should have been closed"
            )
        }
    }
}
