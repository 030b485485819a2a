// SPDX-License-Identifier: MIT

import WPYAML
import WPTestSupport

extension JSONValue {
    /// The value of a YAML node by the core schema; nil if a scalar has no exact value.
    init?(_ node: YAMLNode) {
        switch node.content {
        case .scalar(let scalar):
            switch scalar.resolved() {
            case .null: self = .null
            case .boolean(let value): self = .bool(value)
            case .integer(let value):
                guard let number = Double(exactly: value) else { return nil }
                self = .number(number)
            case .float(let value): self = .number(value)
            case .string(let value): self = .string(value)
            case nil: return nil
            }
        case .sequence(let items):
            let values = items.compactMap { JSONValue($0) }
            guard values.count == items.count else { return nil }
            self = .array(values)
        case .mapping(let entries):
            var values: [String: JSONValue] = [:]
            for entry in entries {
                guard let value = JSONValue(entry.value) else { return nil }
                values[entry.key] = value
            }
            self = .object(values)
        }
    }
}
