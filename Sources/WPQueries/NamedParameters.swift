// SPDX-License-Identifier: MIT

import WPPostgres
import WPYAML

/// A statement with parameters by name, `:name`, as one with parameters by number, `$1`, as PostgreSQL has them.
///
/// Texts, quoted identifiers, comments and casts (`::`) are left alone; `\:` is a colon (SQLAlchemy's `text()`).
struct NamedParameters {
    /// The statement with `$1` ….
    private(set) var text = ""
    /// The names in the order of the numbers.
    private(set) var names: [String] = []

    private let bytes: [UInt8]
    private var index = 0
    private var output: [UInt8] = []

    init(_ sql: String) {
        bytes = Array(sql.utf8)
        while index < bytes.count { step() }
        text = String(decoding: output, as: UTF8.self)
    }

    private func peek(_ distance: Int = 0) -> UInt8 { index + distance < bytes.count ? bytes[index + distance] : 0 }

    private mutating func step() {
        switch (peek(), peek(1)) {
        case (UInt8(ascii: "\\"), UInt8(ascii: ":")):
            index += 1
            copy(1)
        case (UInt8(ascii: "'"), _):
            let before = output.last ?? 0
            let isEscaped = before == UInt8(ascii: "E") || before == UInt8(ascii: "e")
            copyQuoted(UInt8(ascii: "'"), hasBackslashes: isEscaped)
        case (UInt8(ascii: "\""), _): copyQuoted(UInt8(ascii: "\""), hasBackslashes: false)
        case (UInt8(ascii: "-"), UInt8(ascii: "-")):
            while index < bytes.count, peek() != UInt8(ascii: "\n") { copy(1) }
        case (UInt8(ascii: "/"), UInt8(ascii: "*")): copyComment()
        case (UInt8(ascii: "$"), _): copyDollarQuoted()
        case (UInt8(ascii: ":"), UInt8(ascii: ":")): copy(2)
        case (UInt8(ascii: ":"), let next) where Self.isWord(next) && !Self.isWord(output.last ?? 0): takeName()
        default: copy(1)
        }
    }

    private static func isWord(_ byte: UInt8) -> Bool {
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
            || byte == UInt8(ascii: "_") || byte >= 0x80
    }

    private mutating func copy(_ count: Int) {
        let end = min(index + count, bytes.count)
        output.append(contentsOf: bytes[index..<end])
        index = end
    }

    private mutating func takeName() {
        index += 1
        let start = index
        while Self.isWord(peek()) { index += 1 }
        let name = String(decoding: bytes[start..<index], as: UTF8.self)
        let number: Int
        if let known = names.firstIndex(of: name) {
            number = known + 1
        } else {
            names.append(name)
            number = names.count
        }
        output.append(contentsOf: "$\(number)".utf8)
    }

    private mutating func copyQuoted(_ quote: UInt8, hasBackslashes: Bool) {
        copy(1)
        while index < bytes.count {
            if hasBackslashes, peek() == UInt8(ascii: "\\") {
                copy(2)
            } else if peek() == UInt8(ascii: "\\"), peek(1) == UInt8(ascii: ":") {
                index += 1
                copy(1)
            } else if peek() == quote {
                copy(1)
                guard peek() == quote else { return }
                copy(1)
            } else {
                copy(1)
            }
        }
    }

    private mutating func copyComment() {
        var depth = 0
        repeat {
            if peek() == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "*") {
                depth += 1
                copy(2)
            } else if peek() == UInt8(ascii: "*"), peek(1) == UInt8(ascii: "/") {
                depth -= 1
                copy(2)
            } else {
                copy(1)
            }
        } while depth > 0 && index < bytes.count
    }

    private mutating func copyDollarQuoted() {
        var end = index + 1
        while end < bytes.count, Self.isWord(bytes[end]) { end += 1 }
        let isTag = end < bytes.count && bytes[end] == UInt8(ascii: "$") && !(0x30...0x39).contains(peek(1))
        guard isTag, !Self.isWord(output.last ?? 0) else { return copy(1) }
        let tag = bytes[index...end]
        copy(tag.count)
        while index < bytes.count {
            if bytes[index...].starts(with: tag) { return copy(tag.count) }
            copy(1)
        }
    }
}

/// The values of a query's parameters: a list of maps, or a map of such lists, of which all combinations are taken.
struct ParameterSets {
    typealias Named = (name: String, value: PostgresStatement.Parameter)

    /// The most combinations.
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
                guard let scalar = context.scalar(entry.value, "\(key).\(entry.key)") else { return nil }
                guard let value = scalar.resolved() else {
                    context.add(entry.value.position, "\(key).\(entry.key)", "the number is too large")
                    return nil
                }
                return (prefix + entry.key, Self.parameter(value))
            }
        }
    }

    private static func parameter(_ value: YAMLValue) -> PostgresStatement.Parameter {
        switch value {
        case .null: .null
        case .boolean(let value): .boolean(value)
        case .integer(let value): .integer(value)
        case .float(let value): .number(value)
        case .string(let value): .text(value)
        }
    }
}
