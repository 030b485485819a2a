// SPDX-License-Identifier: MIT

import WPYAML

/// The parameter values of a query: a list of maps, or a map of such lists, whose combinations are generated.
struct ParameterSets {
    typealias Named = (name: String, value: SQLLiteral)

    /// The maximum number of combinations.
    private static let limit = 1000
    private let context: FileContext
    private let key: String

    init(_ context: FileContext, _ key: String) {
        self.context = context
        self.key = key
    }

    func read(_ node: YAMLNode) -> [[Named]] {
        switch node.content {
        case .sequence(let items): return list(items, node.position, prefix: "")
        case .mapping(let entries):
            var product: [[Named]] = [[]]
            for entry in entries {
                guard case .sequence(let items) = entry.value.content else {
                    context.add(entry.value.position, "\(key).\(entry.key)", "expected a list of maps")
                    return []
                }
                let sets = list(items, entry.value.position, prefix: entry.key + "__")
                guard product.count * max(1, sets.count) <= Self.limit else {
                    context.add(node.position, key, "there are more than \(Self.limit) combinations")
                    return []
                }
                product = product.flatMap { first in sets.map { first + $0 } }
            }
            return product
        case .scalar:
            context.add(node.position, key, "expected a list of maps, or a map of such lists")
            return []
        }
    }

    private func list(_ items: [YAMLNode], _ position: YAMLPosition, prefix: String) -> [[Named]] {
        guard !items.isEmpty, items.count <= Self.limit else {
            context.add(position, key, "expected 1 to \(Self.limit) maps")
            return []
        }
        return items.compactMap { item in
            guard var map = FileNode(item, key, context) else { return nil }
            return map.takeAll().compactMap { entry in
                literal(entry.value, "\(key).\(entry.key)").map { (prefix + entry.key, $0) }
            }
        }
    }

    private func literal(_ node: YAMLNode, _ key: String) -> SQLLiteral? {
        if case .sequence(let items) = node.content {
            let values = items.compactMap { literal($0, key) }
            return values.count == items.count ? .list(values) : nil
        }
        guard let scalar = context.scalar(node, key) else { return nil }
        switch scalar.resolved() {
        case nil:
            context.add(node.position, key, "the number is too large")
            return nil
        case .string(let text) where text.utf8.contains(0):
            context.add(node.position, key, "PostgreSQL text cannot contain a zero byte")
            return nil
        case .null?: return .null
        case .boolean(let value)?: return .boolean(value)
        case .integer(let value)?: return .integer(value)
        case .float(let value)?: return .number(value)
        case .string(let value)?: return .text(value)
        }
    }
}
