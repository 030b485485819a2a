// SPDX-License-Identifier: MIT

/// One value of a YAML document, with the place it was read from.
///
/// The text of a scalar is kept as written (after unescaping and folding); what it *means* is a second step, taken by
/// ``YAMLScalar/resolved()`` or by a reader that knows which type it wants, so that `0644` or `1.10` lose nothing.
public struct YAMLNode: Sendable, Hashable {
    /// What a node holds.
    public enum Content: Sendable, Hashable {
        /// A single text, number, boolean or null.
        case scalar(YAMLScalar)
        /// A list.
        case sequence([YAMLNode])
        /// A map, in the order of the text. No two entries have the same key.
        case mapping([YAMLEntry])
    }

    /// The value.
    public internal(set) var content: Content
    /// Where the value begins; for an alias, where the alias stands.
    public internal(set) var position: YAMLPosition

    package init(_ content: Content, at position: YAMLPosition) {
        self.content = content
        self.position = position
    }
}

/// One key of a map and its value.
public struct YAMLEntry: Sendable, Hashable {
    /// The text of the key. Keys that are not scalars are refused by the reader.
    public let key: String
    /// Where the key begins.
    public let keyPosition: YAMLPosition
    /// The value; a key with nothing after it has an empty plain scalar, which resolves to null.
    public let value: YAMLNode

    package init(key: String, keyPosition: YAMLPosition, value: YAMLNode) {
        self.key = key
        self.keyPosition = keyPosition
        self.value = value
    }
}

/// A place in a text.
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
