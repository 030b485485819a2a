// SPDX-License-Identifier: MIT

import WPCommandLine
import WPCore
import WPYAML

/// Collects the faults of a file, and resolves scalars: `!env NAME` and `!file PATH`.
final class FileContext {
    let environment: [String: String]
    let readFile: (String) -> String?
    private(set) var faults: [QueryFileFault] = []

    init(environment: [String: String], readFile: @escaping (String) -> String?) {
        self.environment = environment
        self.readFile = readFile
    }

    func add(_ position: YAMLPosition, _ key: String, _ message: String) {
        faults.append(QueryFileFault(line: position.line, column: position.column, key: key, message: message))
    }

    var sorted: [QueryFileFault] { faults.sorted { ($0.line, $0.column) < ($1.line, $1.column) } }

    /// The scalar at a node, after resolving its tag; nil after a fault.
    func scalar(_ node: YAMLNode, _ key: String) -> YAMLScalar? {
        guard case .scalar(let scalar) = node.content else {
            add(node.position, key, "found \(FileNode.kind(node)), expected a single value")
            return nil
        }
        switch scalar.localTag {
        case "!env":
            guard let value = environment[scalar.text] else {
                add(node.position, key, "the environment variable \(Quoted.text(scalar.text)) is not set: set it")
                return nil
            }
            return YAMLScalar(value)
        case "!file":
            guard let text = readFile(scalar.text) else {
                add(
                    node.position,
                    key,
                    "the file \(Quoted.text(scalar.text)) cannot be read: check its path and permissions"
                )
                return nil
            }
            let isSpace: (Character) -> Bool = { $0.isWhitespace }
            let lead = text.drop(while: isSpace)
            return YAMLScalar(String(lead.reversed().drop(while: isSpace).reversed()), style: .doubleQuoted)
        default: return scalar
        }
    }
}

/// A map of the file whose keys are consumed one by one; the remaining keys are unknown.
struct FileNode {
    let context: FileContext
    let key: String
    let position: YAMLPosition
    private var rest: [YAMLEntry]
    private var known: [String] = []

    /// Nil, with a fault, if the node is not a map. An empty value is an empty map.
    init?(_ node: YAMLNode, _ key: String, _ context: FileContext) {
        self.context = context
        self.key = key
        position = node.position
        switch node.content {
        case .mapping(let entries): rest = entries
        case .scalar(let scalar) where scalar.isNull: rest = []
        default:
            context.add(node.position, key, "found \(Self.kind(node)), expected a map")
            return nil
        }
    }

    static func kind(_ node: YAMLNode) -> String {
        switch node.content {
        case .scalar: "a single value"
        case .sequence: "a list"
        case .mapping: "a map"
        }
    }

    func path(_ name: String) -> String { key.isEmpty ? name : "\(key).\(name)" }

    func fault(_ name: String, _ at: YAMLPosition?, _ message: String) {
        context.add(at ?? position, name.isEmpty ? key : path(name), message)
    }

    /// All entries, for a map with arbitrary keys.
    mutating func takeAll() -> [YAMLEntry] {
        defer { rest = [] }
        return rest
    }

    mutating func take(_ name: String) -> YAMLNode? {
        known.append(name)
        guard let index = rest.firstIndex(where: { $0.key == name }) else { return nil }
        let node = rest.remove(at: index).value
        if case .scalar(let scalar) = node.content, scalar.isNull, scalar.localTag == nil { return nil }
        return node
    }

    mutating func require(_ name: String) -> YAMLNode? {
        let node = take(name)
        if node == nil { fault("", nil, "the key \(name) is missing") }
        return node
    }

    /// Reports a required key as missing, unless a fault of its value has been reported.
    func reportMissing(_ name: String) {
        guard !context.faults.contains(where: { $0.key == path(name) }) else { return }
        fault("", nil, "the key \(name) is missing")
    }

    /// Skips keys that are read elsewhere.
    mutating func ignore(_ names: [String]) {
        known += names
        rest.removeAll { names.contains($0.key) }
    }

    /// Reports the remaining keys.
    func end() {
        for entry in rest {
            var message = "there is no key \(Quoted.text(entry.key)) here"
            if let nearest = NearestName.find(entry.key, in: known) { message += "; did you mean \(nearest)?" }
            context.add(entry.keyPosition, key, message)
        }
    }

    // MARK: Values

    mutating func text(_ name: String) -> (value: String, position: YAMLPosition)? {
        guard let node = take(name), let scalar = context.scalar(node, path(name)) else { return nil }
        return (scalar.text, node.position)
    }

    /// A scalar's value; nil, with a fault, if it cannot be parsed.
    private mutating func value<Value>(
        _ name: String,
        expected: String,
        _ parse: (String) -> Value?
    ) -> Value? {
        guard let (text, position) = text(name) else { return nil }
        let value = parse(text)
        if value == nil { fault(name, position, "expected \(expected)") }
        return value
    }

    mutating func boolean(_ name: String) -> Bool? {
        value(name, expected: "true or false", BooleanText.parse)
    }

    mutating func integer(_ name: String, in range: ClosedRange<Int>) -> Int? {
        value(name, expected: "a whole number from \(range.lowerBound) to \(range.upperBound)") { text in
            Int(text).flatMap { range.contains($0) ? $0 : nil }
        }
    }

    /// A number of seconds, or a duration such as 10s, 5m, 1h or 1d.
    mutating func interval(_ name: String) -> Duration? {
        value(
            name,
            expected: "a whole number of seconds above 0, or a duration such as 10s, 5m, 1h or 1d",
            Self.duration
        )
    }

    /// A time limit: a number of seconds, optionally with a fraction, or a duration.
    mutating func timeout(_ name: String) -> Duration? {
        value(name, expected: "a number of seconds above 0, such as 2.5, or a duration such as 10s") { text in
            if let duration = Self.duration(text) { return duration }
            guard let seconds = Double(text), seconds >= 0.001, seconds <= 86_400 else { return nil }
            return .milliseconds(Int((seconds * 1000).rounded()))
        }
    }

    mutating func choice<Value: RawRepresentable<String> & CaseIterable>(_ name: String, _: Value.Type) -> Value? {
        guard let (text, position) = text(name) else { return nil }
        guard let value = Value(rawValue: text) else {
            let all = Value.allCases.map(\.rawValue)
            let nearest = NearestName.find(text, in: all).map { "; did you mean \($0)?" } ?? ""
            fault(
                name,
                position,
                "found \(Quoted.text(text)), expected one of \(all.joined(separator: ", "))\(nearest)"
            )
            return nil
        }
        return value
    }

    /// A list of strings, without duplicates by default.
    mutating func texts(_ name: String, isUnique: Bool = true) -> [(value: String, position: YAMLPosition)]? {
        guard let node = take(name) else { return nil }
        guard case .sequence(let items) = node.content, !items.isEmpty else {
            fault(name, node.position, "expected a list that is not empty")
            return nil
        }
        var found: [(value: String, position: YAMLPosition)] = []
        for item in items {
            guard let scalar = context.scalar(item, path(name)) else { continue }
            if isUnique, found.contains(where: { $0.value == scalar.text }) {
                fault(name, item.position, "\(Quoted.text(scalar.text)) appears twice")
            } else {
                found.append((scalar.text, item.position))
            }
        }
        return found
    }

    mutating func numbers(_ name: String) -> [Double]? {
        guard let node = take(name) else { return nil }
        guard case .sequence(let items) = node.content, !items.isEmpty else {
            fault(name, node.position, "expected a list of numbers")
            return nil
        }
        var found: [Double] = []
        for item in items {
            guard let scalar = context.scalar(item, path(name)) else { return nil }
            guard let number = Double(scalar.text), number.isFinite else {
                fault(name, item.position, "expected a number")
                return nil
            }
            if let last = found.last, last >= number {
                fault(name, item.position, "the numbers must ascend")
                return nil
            }
            found.append(number)
        }
        return found
    }

    private static func duration(_ text: String) -> Duration? {
        let units: [Character: Int] = ["s": 1, "m": 60, "h": 3600, "d": 86_400]
        let unit = text.last.flatMap { units[$0] }
        let digits = unit == nil ? text[...] : text.dropLast()
        guard let number = Int(digits: digits) else { return nil }
        let (seconds, overflow) = number.multipliedReportingOverflow(by: unit ?? 1)
        return !overflow && (1...366 * 86_400).contains(seconds) ? .seconds(seconds) : nil
    }
}
