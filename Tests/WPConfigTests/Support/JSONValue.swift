// SPDX-License-Identifier: MIT

import WPConfig

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A JSON value, to compare a YAML document with what it stands for.
enum JSONValue: Hashable, Decodable {
    case null
    case boolean(Bool)
    case integer(Int)
    case number(Double)
    case string(String)
    case array([JSONValue])
    case object([String: JSONValue])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {
            self = .boolean(value)
        } else if let value = try? container.decode(Int.self) {
            self = .integer(value)
        } else if let value = try? container.decode(Double.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .string(value)
        } else if let value = try? container.decode([JSONValue].self) {
            self = .array(value)
        } else {
            self = .object(try container.decode([String: JSONValue].self))
        }
    }

    /// Decodes one JSON text; nil when it holds anything but one value.
    init?(json: String) {
        guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(json.utf8)) else { return nil }
        self = value
    }

    /// What a YAML node stands for by the core schema; nil when a scalar in it has no exact value.
    init?(_ node: YAMLNode) {
        switch node.content {
        case .scalar(let scalar):
            switch scalar.resolved() {
            case .null: self = .null
            case .boolean(let value): self = .boolean(value)
            case .integer(let value): self = .integer(value)
            case .float(let value): self = Int(exactly: value).map { .integer($0) } ?? .number(value)
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
