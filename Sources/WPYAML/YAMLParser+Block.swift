// SPDX-License-Identifier: MIT

/// Block collections, and any node where a block collection is allowed (YAML 1.2.2, chapter 8.2).
extension YAMLParser {
    /// The context of a node, which decides what may begin on the same line.
    enum Slot {
        /// At the first content of a document without a marker: the cursor is on the content.
        case document
        /// After `---`: no block collection on this line.
        case markerLine
        /// After `- `: a block collection may begin on this line, if only spaces precede it.
        case item
        /// After `key:`: no block collection on this line; on a later line, a list may be indented like the key.
        case value
    }

    /// Reads a node and advances to the content after it.
    mutating func blockNode(parent: Int, in slot: Slot) throws(YAMLFault) -> YAMLNode {
        try enter()
        defer { leave() }
        let before = nodes
        try countNodes()
        let location = position()
        var own = Properties()
        var isFirstOnLine = slot == .document
        while true {
            let sawTab = isFirstOnLine ? false : skipBlanks()
            let start = position()
            let startIndent = indent
            let pending = try properties(inFlow: false)
            try skipComment()
            if isAtLineEnd {
                try merge(pending, into: &own)
                try skipToContent()
                guard continues(parent: parent, in: slot) else {
                    return try finish(.scalar(YAMLScalar("")), own, at: location, countedFrom: before)
                }
                isFirstOnLine = true
                continue
            }
            let line = LineStart(
                position: start,
                indent: startIndent,
                allowsCollection: isFirstOnLine || (slot == .item && !sawTab)
            )
            return try blockContent(parent: parent, line: line, own: own, pending: pending, countedFrom: before)
        }
    }

    /// Where the text of a node begins on its line, and whether a block collection may begin there.
    struct LineStart {
        var position: YAMLPosition
        var indent: Int
        var allowsCollection: Bool
    }

    /// Whether the content at the cursor belongs to a node that began on an earlier line.
    private func continues(parent: Int, in slot: Slot) -> Bool {
        if isAtBoundary { return false }
        return indent > parent || (slot == .value && indent == parent && isIndicator(.dash))
    }

    /// - Parameters:
    ///   - own: properties from earlier lines, which belong to the whole node.
    ///   - pending: properties on this line, which belong to the first key if the node is a map that begins here.
    private mutating func blockContent(
        parent: Int,
        line: LineStart,
        own: Properties,
        pending: Properties,
        countedFrom before: Int
    ) throws(YAMLFault) -> YAMLNode {
        if isIndicator(.dash) {
            guard line.allowsCollection, pending.isEmpty else {
                throw fault(.syntax, "a block list must begin on its own line, indented with spaces")
            }
            return try finish(
                .sequence(try blockSequence(indent: line.indent)),
                own,
                at: line.position,
                countedFrom: before
            )
        }
        if byte == .bar || byte == .greater {
            var all = own
            try merge(pending, into: &all)
            let scalar = try blockScalar(parent: parent)
            try skipToContent()
            return try finish(.scalar(scalar), all, at: line.position, countedFrom: before)
        }
        let keyLine = cursor.line
        let beforeLeaf = nodes
        if byte == .asterisk {
            let node = try alias()
            guard try isBeforeColon(keyLine) else {
                guard own.isEmpty, pending.isEmpty else {
                    throw fault(.syntax, "an alias cannot have an anchor or tag")
                }
                try finishLine()
                return node
            }
            return try blockMapping(
                firstKey: node,
                pending,
                line: line,
                own: own,
                before: before,
                keyBefore: beforeLeaf
            )
        }
        let content = try flowContent(parent: parent, inFlow: false)
        guard try isBeforeColon(keyLine) else {
            var all = own
            try merge(pending, into: &all)
            let node = try finish(content, all, at: line.position, countedFrom: before)
            try finishLine()
            return node
        }
        let key = YAMLNode(content, at: line.position)
        return try blockMapping(firstKey: key, pending, line: line, own: own, before: before, keyBefore: beforeLeaf)
    }

    /// Whether the value just read is a key; throws if it cannot be one.
    private mutating func isBeforeColon(_ keyLine: Int) throws(YAMLFault) -> Bool {
        let end = cursor
        skipBlanks()
        guard isIndicator(.colon) else {
            cursor = end
            return false
        }
        guard cursor.line == keyLine else {
            let advice = "check the indentation of this line, or put the value in quotes"
            throw fault(.syntax, "this colon follows a value of several lines, which cannot be a key; \(advice)")
        }
        return true
    }

    /// Reads the rest of a map after its first key; the cursor is on the colon.
    private mutating func blockMapping(
        firstKey: YAMLNode,
        _ keyProperties: Properties,
        line: LineStart,
        own: Properties,
        before: Int,
        keyBefore: Int
    ) throws(YAMLFault) -> YAMLNode {
        guard line.allowsCollection else {
            throw YAMLFault(
                .syntax,
                at: line.position,
                "a map cannot begin here; put the value in quotes if the colon is part of it"
            )
        }
        var entries = YAMLEntries()
        var key = try finish(firstKey.content, keyProperties, at: line.position, countedFrom: keyBefore)
        while true {
            let text = try keyText(of: key)
            advance()
            let value = try blockNode(parent: line.indent, in: .value)
            try entries.append(text, at: key.position, value)
            if isAtBoundary || indent < line.indent { break }
            guard indent == line.indent else {
                throw fault(.indentation, "this line is indented by \(indent), but its map by \(line.indent)")
            }
            key = try blockKey(parent: line.indent)
        }
        return try finish(.mapping(entries.list), own, at: line.position, countedFrom: before)
    }

    /// Reads a key after the first one, up to the colon.
    private mutating func blockKey(parent: Int) throws(YAMLFault) -> YAMLNode {
        let location = position()
        let before = nodes
        let keyLine = cursor.line
        guard !isIndicator(.dash) else { throw fault(.syntax, "found a list item where a key is expected") }
        let pending = try properties(inFlow: false)
        let node: YAMLNode
        if byte == .asterisk {
            guard pending.isEmpty else { throw fault(.syntax, "an alias cannot have an anchor or tag") }
            node = try alias()
        } else {
            let content = try flowContent(parent: parent, inFlow: false)
            node = try finish(content, pending, at: location, countedFrom: before)
        }
        guard try isBeforeColon(keyLine) else {
            throw YAMLFault(.syntax, at: location, "a key is expected here, followed by a colon and a space")
        }
        return node
    }

    /// The text of a key, which must be a scalar of at most 1024 characters (YAML 1.2.2, 7.4.2).
    mutating func keyText(of key: YAMLNode) throws(YAMLFault) -> String {
        guard case .scalar(let scalar) = key.content else {
            throw YAMLFault(.unsupported, at: key.position, "a list or map as a key is not supported")
        }
        guard scalar.text.unicodeScalars.count <= 1024 else {
            throw YAMLFault(.syntax, at: key.position, "a key cannot be longer than 1024 characters")
        }
        try countNodes()
        return scalar.text
    }

    private mutating func blockSequence(indent sequenceIndent: Int) throws(YAMLFault) -> [YAMLNode] {
        var items: [YAMLNode] = []
        while true {
            advance()
            items.append(try blockNode(parent: sequenceIndent, in: .item))
            if isAtBoundary || indent < sequenceIndent { return items }
            guard indent == sequenceIndent else {
                throw fault(.indentation, "this line is indented by \(indent), but its list by \(sequenceIndent)")
            }
            guard isIndicator(.dash) else { return items }
        }
    }
}

/// Collects the entries of a map and detects duplicate keys.
struct YAMLEntries {
    private(set) var list: [YAMLEntry] = []
    private var positions: [String: YAMLPosition] = [:]

    mutating func append(_ key: String, at position: YAMLPosition, _ value: YAMLNode) throws(YAMLFault) {
        if let first = positions.updateValue(position, forKey: key) {
            throw YAMLFault(.duplicateKey, at: position, "the key \(key) is already in this map, at \(first)")
        }
        list.append(YAMLEntry(key: key, keyPosition: position, value: value))
    }
}
