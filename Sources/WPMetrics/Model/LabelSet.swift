// SPDX-License-Identifier: MIT

/// One label.
public struct Label: Sendable {
    /// The name, `[a-zA-Z_][a-zA-Z0-9_]*`.
    public let name: String
    /// The value: any text. Prometheus treats an empty value as an absent label.
    public let value: String

    /// Creates a label; ``LabelSet`` checks the name.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// The labels that distinguish one series of a family from another, sorted by name. Valid by construction.
///
/// The escaped text `{a="x",b="y"}` is stored, so that an encoder only copies bytes: create the set of a device once,
/// and share it. Sets are equal if that text is equal byte for byte: unlike `String`, Prometheus distinguishes composed
/// and decomposed characters.
public struct LabelSet: Sendable, Hashable, Comparable, RandomAccessCollection, CustomStringConvertible {
    private final class Storage: Sendable {
        /// Sorted by name.
        let labels: [Label]
        /// The text between a sample's name and its value: `{a="x",b="y"} `, or a space.
        let rendered: [UInt8]

        init(sorted labels: [Label]) {
            var rendered: [UInt8] = []
            rendered.reserveCapacity(labels.reduce(3) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 })
            for label in labels {
                rendered.append(rendered.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
                rendered.append(contentsOf: label.name.utf8)
                rendered.append("=\"")
                rendered.appendEscaped(label.value, quotes: true)
                rendered.append(UInt8(ascii: "\""))
            }
            if !rendered.isEmpty { rendered.append(UInt8(ascii: "}")) }
            rendered.append(UInt8(ascii: " "))
            self.labels = labels
            self.rendered = rendered
        }
    }

    private let storage: Storage

    /// No labels.
    public static let empty = LabelSet(sorted: [])

    /// Creates a set of valid labels that are sorted by name.
    init(sorted labels: [Label]) {
        storage = Storage(sorted: labels)
    }

    /// Creates a set, for example `try LabelSet(["device_id": id, "device_name": name])`.
    /// - Throws: ``MetricError`` for an invalid, reserved (`__…`) or repeated name.
    public init(_ labels: KeyValuePairs<String, String>) throws(MetricError) {
        try self.init(labels.map { Label($0.key, $0.value) })
    }

    /// Creates a set.
    /// - Throws: ``MetricError`` for an invalid, reserved (`__…`) or repeated name.
    public init(_ labels: [Label]) throws(MetricError) {
        guard !labels.isEmpty else {
            self = .empty
            return
        }
        for label in labels { try Names.checkLabel(label.name) }
        let sorted = labels.sorted { $0.name < $1.name }
        for (label, next) in zip(sorted, sorted.dropFirst()) where label.name == next.name {
            throw MetricError(
                .duplicateLabelName,
                subject: label.name,
                "the label \(label.name) is given twice: give each name once"
            )
        }
        self.init(sorted: sorted)
    }

    /// This set with an additional label.
    /// - Throws: ``MetricError`` for an invalid or reserved name, or one that the set already has.
    public func adding(_ name: String, _ value: String) throws(MetricError) -> LabelSet {
        try LabelSet(storage.labels + [Label(name, value)])
    }

    /// A label's value; nil if the set does not have the label.
    public subscript(name: String) -> String? { storage.labels.first { $0.name == name }?.value }

    /// The position of the first label.
    public var startIndex: Int { 0 }

    /// The position after the last label.
    public var endIndex: Int { storage.labels.count }

    /// The label at a position, in the order of names.
    public subscript(position: Int) -> Label { storage.labels[position] }

    /// The text of the set in an exposition: `{a="x",b="y"}`.
    public var description: String {
        isEmpty ? "{}" : String(decoding: rendered.dropLast(), as: UTF8.self)
    }

    /// The text between a sample's name and its value: `{a="x",b="y"} `, or a space.
    var rendered: [UInt8] { storage.rendered }

    /// The escaped text between the braces.
    var renderedPairs: ArraySlice<UInt8> { isEmpty ? [] : rendered.dropFirst().dropLast(2) }

    /// Whether the names are exactly these sorted names.
    func hasNames(_ names: [String]) -> Bool {
        storage.labels.count == names.count && zip(storage.labels, names).allSatisfy { $0.name == $1 }
    }

    /// Whether the set has a label of this name.
    func hasName(_ name: String) -> Bool { storage.labels.contains { $0.name == name } }

    /// Whether both have the same names and values.
    public static func == (lhs: LabelSet, rhs: LabelSet) -> Bool { lhs.compare(rhs) == 0 }

    /// Orders by the bytes of the escaped text: by the first label's value, then the next.
    public static func < (lhs: LabelSet, rhs: LabelSet) -> Bool { lhs.compare(rhs) < 0 }

    /// Negative, 0 or positive: a three-way comparison in one pass.
    func compare(_ other: LabelSet) -> Int {
        guard storage !== other.storage else { return 0 }
        for (left, right) in zip(rendered, other.rendered) where left != right { return left < right ? -1 : 1 }
        return rendered.count - other.rendered.count
    }

    /// Hashes the names and values.
    public func hash(into hasher: inout Hasher) { hasher.combine(rendered) }
}
