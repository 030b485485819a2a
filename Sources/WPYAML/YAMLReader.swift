// SPDX-License-Identifier: MIT

/// Reads one YAML 1.2 document of a documented subset into a ``YAMLNode``.
///
/// Anything outside of the subset is refused with its place: what is accepted has its value by YAML 1.2, and nothing is
/// guessed. Read: block and flow collections, all five scalar styles, comments, `---` and `...`, the
/// `%YAML 1.x` directive, anchors and aliases (an alias counts as all the nodes that it stands for), and the tags of the
/// core schema. Refused: several documents, `%TAG` and other directives, other tags, `? ` keys, keys that are empty or
/// not scalars, duplicate keys, and tabs as indentation.
public enum YAMLReader {
    /// Reads a document.
    /// - Parameter text: the document, of at most 1 MiB, 64 levels, and 100,000 values and keys.
    /// - Returns: the root; nil when the text has no document at all, that is nothing but space and comments.
    /// - Throws: ``YAMLFault`` at the first thing that is wrong, unsupported, or too much.
    public static func parse(_ text: String) throws(YAMLFault) -> YAMLNode? {
        try parse(text, limits: YAMLLimits())
    }

    package static func parse(_ text: String, limits: YAMLLimits) throws(YAMLFault) -> YAMLNode? {
        try parse(Array(text.utf8), limits: limits)
    }

    /// Reads a document.
    /// - Parameters:
    ///   - bytes: the document in UTF-8, with or without a byte order mark.
    ///   - limits: what is too much.
    /// - Returns: the root; nil when the text has no document at all, that is nothing but space and comments.
    /// - Throws: ``YAMLFault`` at the first thing that is wrong, unsupported, or too much.
    package static func parse(_ bytes: [UInt8], limits: YAMLLimits = YAMLLimits()) throws(YAMLFault) -> YAMLNode? {
        guard bytes.count <= limits.bytes else {
            throw YAMLFault(
                .limit,
                at: YAMLPosition(line: 1, column: 1),
                "the text has \(bytes.count) bytes, more than the \(limits.bytes) allowed"
            )
        }
        var parser = YAMLParser(try YAMLText.normalized(bytes), limits: limits)
        let root = try parser.stream()
        return limits.mergesKeys ? try root.map { node throws(YAMLFault) in try YAMLMerge.merged(node, limits) } : root
    }
}

/// How large a document may be.
package struct YAMLLimits: Sendable, Hashable {
    /// Bytes of text.
    package var bytes: Int
    /// Values inside each other; a scalar in a list has the depth 2. The reader recurses, so this bounds its stack.
    package var depth: Int
    /// Tags of the program itself that scalars may have, such as `!env`; the others are refused.
    package var localTags: Set<String>
    /// Values and keys, where an alias counts as all the nodes that it stands for.
    package var nodes: Int

    /// Whether a key `<<` stands for the entries of the map, or the maps, that are its value (YAML 1.1, merge).
    package var mergesKeys: Bool

    /// Creates limits; the defaults (1 MiB, 64 levels, 100,000 nodes) are generous for a configuration file.
    package init(
        bytes: Int = 1 << 20,
        depth: Int = 64,
        nodes: Int = 100_000,
        localTags: Set<String> = [],
        mergesKeys: Bool = false
    ) {
        self.mergesKeys = mergesKeys
        self.localTags = localTags
        self.bytes = bytes
        self.depth = depth
        self.nodes = nodes
    }
}
