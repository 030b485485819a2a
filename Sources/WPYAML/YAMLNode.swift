// SPDX-License-Identifier: MIT

/// One value of a YAML document and its position in the text.
///
/// The text of a scalar is kept as written, after unescaping and folding, so that `0644` or `1.10` lose nothing.
/// ``YAMLScalar/resolved()`` interprets it.
public struct YAMLNode: Sendable, Hashable {
    /// The content of a node.
    public enum Content: Sendable, Hashable {
        /// A single string, number, boolean or null.
        case scalar(YAMLScalar)
        /// A list.
        case sequence([YAMLNode])
        /// A map, in the order of the text. No two entries have the same key.
        case mapping([YAMLEntry])
    }

    /// The value.
    public internal(set) var content: Content
    /// Where the value begins; for an alias, the position of the alias.
    public internal(set) var position: YAMLPosition

    package init(_ content: Content, at position: YAMLPosition) {
        self.content = content
        self.position = position
    }
}

/// One key of a map and its value.
public struct YAMLEntry: Sendable, Hashable {
    /// The text of the key. The reader rejects keys that are not scalars.
    public let key: String
    /// Where the key begins.
    public let keyPosition: YAMLPosition
    /// The value; a key without a value has an empty plain scalar, which resolves to null.
    public let value: YAMLNode

    package init(key: String, keyPosition: YAMLPosition, value: YAMLNode) {
        self.key = key
        self.keyPosition = keyPosition
        self.value = value
    }
}

/// A position in a document.
public struct YAMLPosition: Sendable, Hashable, CustomStringConvertible {
    /// The line, from 1.
    public internal(set) var line: Int
    /// The character (Unicode scalar) in the line, from 1.
    public internal(set) var column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// `line:column`.
    public var description: String { "\(line):\(column)" }
}
