// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// One label.
public struct Label: Sendable {
    /// The name, `[a-zA-Z_][a-zA-Z0-9_]*`.
    public let name: String
    /// The value: any text. Prometheus takes an empty one for an absent label.
    public let value: String

    /// Creates a label; ``LabelSet`` checks the name.
    public init(_ name: String, _ value: String) {
        self.name = name
        self.value = value
    }
}

/// The labels that distinguish one series of a family from another: valid by construction, a collection sorted by name.
///
/// The escaped text `{a="x",b="y"}` is built once and kept, so that an encoder only copies bytes; a copy of a set is one
/// reference. Make the set of a device once and use it for all of that device's metrics. Sets are equal when that text is
/// equal byte for byte: unlike `String`, Prometheus distinguishes a composed character from a decomposed one.
public struct LabelSet: Sendable, Hashable, Comparable, RandomAccessCollection, CustomStringConvertible {
    // Unchecked because of the pointer, behind which nothing changes after the initializer. It is no array, of which
    // each of a scrape's thousand looks would count a reference.
    private final class Storage: @unchecked Sendable {
        let labels: [Label]
        /// The text between a sample's name and its value: `{a="x",b="y"} `, or a space alone.
        let rendered: UnsafeBufferPointer<UInt8>

        init(sorted labels: [Label]) {
            var rendered: [UInt8] = []
            rendered.reserveCapacity(
                labels.reduce(3) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
            )
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
            let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: rendered.count)
            _ = bytes.initialize(from: rendered)
            self.rendered = UnsafeBufferPointer(bytes)
        }

        deinit { rendered.deallocate() }
    }

    private let storage: Storage

    /// No labels.
    public static let empty = LabelSet(storage: Storage(sorted: []))

    private init(storage: Storage) {
        self.storage = storage
    }

    /// Creates a set, as in `try LabelSet(["device_id": id, "device_name": name])`.
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
        storage = Storage(sorted: sorted)
    }

    /// This set with one label more.
    /// - Throws: ``MetricError`` for an invalid or reserved name, or one that the set has.
    public func adding(_ name: String, _ value: String) throws(MetricError) -> LabelSet {
        try LabelSet(storage.labels + [Label(name, value)])
    }

    /// A label's value; nil when the set does not have the label.
    public subscript(name: String) -> String? {
        storage.labels.first { $0.name == name }?.value
    }

    /// The position of the first label.
    public var startIndex: Int { 0 }

    /// The position after the last label.
    public var endIndex: Int { storage.labels.count }

    /// The label at a position, by name.
    public subscript(position: Int) -> Label { storage.labels[position] }

    /// The set as an exposition shows it: `{a="x",b="y"}`.
    public var description: String {
        isEmpty ? "{}" : String(decoding: rendered.dropLast(), as: UTF8.self)
    }

    /// The text between a sample's name and its value: `{a="x",b="y"} `, or a space alone.
    var rendered: [UInt8] { withRendered { Array($0) } }

    /// ``rendered`` without a copy. It is valid as long as the set: for loops over metrics that something else keeps
    /// alive, which would count a reference at each step.
    @inline(__always)
    var unsafeRendered: UnsafeBufferPointer<UInt8> { storage.rendered }

    /// Gives ``rendered`` to a function, without a reference of its own.
    @inline(__always)
    func withRendered<Outcome>(_ body: (UnsafeBufferPointer<UInt8>) -> Outcome) -> Outcome {
        withExtendedLifetime(storage) { body(storage.rendered) }
    }

    /// The escaped text between the braces.
    var renderedPairs: ArraySlice<UInt8> { isEmpty ? [] : rendered.dropFirst().dropLast(2) }

    /// Whether both are certainly the same, being one in memory.
    @inline(__always)
    func isIdentical(to other: LabelSet) -> Bool { storage === other.storage }

    /// Whether the names are exactly these, which are sorted.
    func hasNames(_ names: [String]) -> Bool {
        guard storage.labels.count == names.count else { return false }
        for (label, name) in zip(storage.labels, names) where label.name != name { return false }
        return true
    }

    /// Whether both have the same names and values.
    public static func == (lhs: LabelSet, rhs: LabelSet) -> Bool {
        lhs.compare(rhs) == 0
    }

    /// Orders by the bytes of the escaped text: by the first label's value, then the next.
    public static func < (lhs: LabelSet, rhs: LabelSet) -> Bool {
        lhs.compare(rhs) < 0
    }

    /// Less than 0, 0 or more than 0 for less, equal and more: one pass, where `<` and `==` would need two.
    func compare(_ other: LabelSet) -> Int {
        guard storage !== other.storage else { return 0 }
        return withRendered { left in other.withRendered { Self.compare(left, $0) } }
    }

    /// Compares what ``unsafeRendered`` gives of two sets.
    @inline(__always)
    static func compare(_ left: UnsafeBufferPointer<UInt8>, _ right: UnsafeBufferPointer<UInt8>) -> Int {
        guard let leftStart = left.baseAddress, let rightStart = right.baseAddress else { return 0 }
        let difference = memcmp(leftStart, rightStart, Swift.min(left.count, right.count))
        return difference != 0 ? Int(difference) : left.count - right.count
    }

    /// Hashes the names and values.
    public func hash(into hasher: inout Hasher) {
        withRendered { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
    }
}
