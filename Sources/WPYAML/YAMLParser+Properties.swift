// SPDX-License-Identifier: MIT

/// Anchors, aliases and tags (YAML 1.2.2, chapters 6.9 and 7.1).
extension YAMLParser {
    struct Properties {
        var anchor: String?
        var tag: YAMLTag?
        /// An application tag; its value is a string.
        var localTag: String?
        var isEmpty: Bool { anchor == nil && tag == nil }
    }

    /// Reads an optional anchor and an optional tag, in either order, and the spaces after them.
    mutating func properties(inFlow: Bool) throws(YAMLFault) -> Properties {
        var result = Properties()
        while byte == .ampersand || byte == .exclamation {
            var next = Properties()
            let start = cursor
            if byte == .ampersand {
                next.anchor = try anchorName()
            } else {
                (next.tag, next.localTag) = try tag()
            }
            let isFollowedByEnd = byte == .comma || byte == .closeBracket || byte == .closeBrace
            guard Self.isSpaceOrEnd(byte) || (inFlow && isFollowedByEnd) else {
                throw fault(.syntax, "an anchor or a tag must be followed by a space")
            }
            let end = cursor
            cursor = start
            try merge(next, into: &result)
            cursor = end
            skipBlanks()
        }
        return result
    }

    mutating func merge(_ more: Properties, into properties: inout Properties) throws(YAMLFault) {
        guard more.anchor == nil || properties.anchor == nil else {
            throw fault(.syntax, "a value cannot have two anchors")
        }
        guard more.tag == nil || properties.tag == nil else {
            throw fault(.syntax, "a value cannot have two tags")
        }
        properties.anchor = more.anchor ?? properties.anchor
        properties.tag = more.tag ?? properties.tag
        properties.localTag = more.localTag ?? properties.localTag
    }

    /// Reads `*name` and returns a copy of its node with the position of the alias.
    mutating func alias() throws(YAMLFault) -> YAMLNode {
        let location = position()
        let name = try anchorName()
        guard let anchor = anchors[name] else {
            throw YAMLFault(.unknownAlias, at: location, "no anchor \(name) precedes this alias")
        }
        try countNodes(anchor.weight)
        try checkDepth(depth - 1 + anchor.height)
        return YAMLNode(anchor.node.content, at: location)
    }

    /// Completes a node: checks its tag, and stores it if it has an anchor.
    /// - Parameter before: the value of ``nodes`` before the node began.
    mutating func finish(
        _ content: YAMLNode.Content,
        _ properties: Properties,
        at position: YAMLPosition,
        countedFrom before: Int
    ) throws(YAMLFault) -> YAMLNode {
        var node = YAMLNode(content, at: position)
        switch content {
        case .scalar(var scalar):
            scalar.tag = properties.tag
            scalar.localTag = properties.localTag
            node.content = .scalar(scalar)
            guard scalar.tag == nil || scalar.resolved() != nil else {
                throw YAMLFault(.syntax, at: position, "the value does not fit its tag")
            }
        case .sequence:
            guard properties.tag == nil || properties.tag == .sequence else {
                throw YAMLFault(.syntax, at: position, "a list cannot have this tag")
            }
        case .mapping:
            guard properties.tag == nil || properties.tag == .mapping else {
                throw YAMLFault(.syntax, at: position, "a map cannot have this tag")
            }
        }
        if let name = properties.anchor {
            anchors[name] = Anchor(node: node, weight: nodes - before, height: Self.height(of: node))
        }
        return node
    }

    private static func height(of node: YAMLNode) -> Int {
        switch node.content {
        case .scalar: 1
        case .sequence(let items): 1 + (items.map(height).max() ?? 0)
        case .mapping(let entries): 1 + (entries.map { height(of: $0.value) }.max() ?? 0)
        }
    }

    private mutating func anchorName() throws(YAMLFault) -> String {
        advance()
        let start = cursor.offset
        while !Self.isSpaceOrEnd(byte) && !Self.isFlowIndicator(byte) { advance() }
        guard cursor.offset > start else { throw fault(.syntax, "an anchor or alias needs a name") }
        return String(decoding: bytes[start..<cursor.offset], as: UTF8.self)
    }

    private mutating func tag() throws(YAMLFault) -> (YAMLTag, local: String?) {
        let location = position()
        let start = cursor.offset
        advance()
        if byte == UInt8(ascii: "<") {
            while !Self.isSpaceOrEnd(byte) && byte != .greater { advance() }
            if byte == .greater { advance() }
        } else {
            while !Self.isSpaceOrEnd(byte) && !Self.isFlowIndicator(byte) { advance() }
        }
        let text = String(decoding: bytes[start..<cursor.offset], as: UTF8.self)
        if limits.localTags.contains(text) { return (.string, text) }
        let name =
            switch text {
            case "!": YAMLTag.string.rawValue
            case _ where text.hasPrefix("!!"): "tag:yaml.org,2002:" + text.dropFirst(2)
            case _ where text.hasPrefix("!<") && text.hasSuffix(">"): String(text.dropFirst(2).dropLast())
            default: text
            }
        guard let tag = YAMLTag(rawValue: name) else {
            throw YAMLFault(
                .unsupported,
                at: location,
                "the tag \(text) is not supported, only those of the core schema are"
            )
        }
        return (tag, nil)
    }
}
