// SPDX-License-Identifier: MIT

/// Reads one YAML 1.2 document of a documented subset into a ``YAMLNode``.
///
/// Anything outside the subset is rejected with its position; an accepted document has its YAML 1.2 value. Supported:
/// block and flow collections, all five scalar styles, comments, `---` and `...`, the `%YAML 1.x` directive, anchors
/// and aliases (an alias counts as all the nodes it copies), and the tags of the core schema. Rejected: multiple
/// documents, `%TAG` and other directives, other tags, `? ` keys, keys that are empty or not scalars, duplicate keys,
/// and tabs as indentation.
public enum YAMLReader {
    /// Reads a document.
    /// - Parameter text: the document, of at most 1 MiB, 64 levels, and 100,000 values and keys.
    /// - Returns: the root; nil if the text has only white space and comments.
    /// - Throws: ``YAMLFault`` for the first error, unsupported construct, or exceeded limit.
    public static func parse(_ text: String) throws(YAMLFault) -> YAMLNode? {
        try parse(text, limits: YAMLLimits())
    }

    package static func parse(_ text: String, limits: YAMLLimits) throws(YAMLFault) -> YAMLNode? {
        try parse(Array(text.utf8), limits: limits)
    }

    /// Reads a document.
    /// - Parameters:
    ///   - bytes: the document in UTF-8, with or without a byte order mark.
    ///   - limits: the limits of the document.
    /// - Returns: the root; nil if the text has only white space and comments.
    /// - Throws: ``YAMLFault`` for the first error, unsupported construct, or exceeded limit.
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

/// The limits of a document.
package struct YAMLLimits: Sendable, Hashable {
    /// The maximum size in bytes.
    package var bytes: Int
    /// The maximum nesting depth; a scalar in a list has depth 2. The reader recurses, so this bounds its stack.
    package var depth: Int
    /// Application tags that scalars may have, such as `!env`; others are rejected.
    package var localTags: Set<String>
    /// The maximum number of values and keys; an alias counts as all the nodes it copies.
    package var nodes: Int

    /// Whether the key `<<` merges the map or maps that are its value (YAML 1.1, merge).
    package var mergesKeys: Bool

    /// Creates limits; the defaults are 1 MiB, 64 levels and 100,000 nodes.
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
