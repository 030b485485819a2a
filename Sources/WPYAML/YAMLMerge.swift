// SPDX-License-Identifier: MIT

/// Merge keys: `<<: *defaults` adds the entries of another map, except those whose keys already exist.
enum YAMLMerge {
    /// The node with all of its merge keys replaced.
    /// - Throws: ``YAMLFault`` if a value is not a map, or if there are more nodes than the limits allow.
    static func merged(_ node: YAMLNode, _ limits: YAMLLimits) throws(YAMLFault) -> YAMLNode {
        var count = 0
        return try merged(node, limits, count: &count)
    }

    private static func merged(
        _ node: YAMLNode,
        _ limits: YAMLLimits,
        count: inout Int
    ) throws(YAMLFault) -> YAMLNode {
        count += 1
        guard count <= limits.nodes else {
            throw YAMLFault(
                .limit,
                at: node.position,
                "the document has more than the \(limits.nodes) values and keys allowed"
            )
        }
        switch node.content {
        case .scalar: return node
        case .sequence(let items):
            var merged: [YAMLNode] = []
            for item in items { merged.append(try Self.merged(item, limits, count: &count)) }
            return YAMLNode(.sequence(merged), at: node.position)
        case .mapping(let entries):
            var own: [YAMLEntry] = []
            var added: [YAMLEntry] = []
            for entry in entries {
                let value = try merged(entry.value, limits, count: &count)
                if entry.key == "<<" {
                    added += try sources(value).flatMap { $0 }
                } else {
                    own.append(YAMLEntry(key: entry.key, keyPosition: entry.keyPosition, value: value))
                }
            }
            // Keys are compared byte by byte, as the parser does; of several maps, the first wins.
            var known = Set(own.map { Array($0.key.utf8) })
            own += added.filter { known.insert(Array($0.key.utf8)).inserted }
            return YAMLNode(.mapping(own), at: node.position)
        }
    }

    private static func sources(_ node: YAMLNode) throws(YAMLFault) -> [[YAMLEntry]] {
        switch node.content {
        case .mapping(let entries): return [entries]
        case .sequence(let items):
            var found: [[YAMLEntry]] = []
            for item in items {
                guard case .mapping(let entries) = item.content else { throw fault(item) }
                found.append(entries)
            }
            return found
        case .scalar: throw fault(node)
        }
    }

    private static func fault(_ node: YAMLNode) -> YAMLFault {
        YAMLFault(.syntax, at: node.position, "the value of the key << must be a map, or a list of maps")
    }
}
