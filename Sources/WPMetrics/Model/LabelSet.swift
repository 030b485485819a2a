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
///
/// The values are kept in that text alone, and a label's is read from it when it is asked for.
public struct LabelSet: Sendable, Hashable, Comparable, RandomAccessCollection, CustomStringConvertible {
    // Unchecked because of the pointer, behind which nothing changes after the initializer. It is no array, of which
    // each of a scrape's thousand looks would count a reference.
    private final class Storage: @unchecked Sendable {
        /// The names, in order. Sets with the same names share one array where they are made one after the other.
        let names: [String]
        /// The text between a sample's name and its value: `{a="x",b="y"} `, or a space alone.
        let rendered: UnsafeBufferPointer<UInt8>

        convenience init(sorted labels: [Label]) {
            var rendered: [UInt8] = []
            rendered.reserveCapacity(
                labels.reduce(3) { $0 + $1.name.utf8.count + $1.value.utf8.count + 4 }
            )
            for label in labels {
                rendered.append(rendered.isEmpty ? UInt8(ascii: "{") : UInt8(ascii: ","))
                Self.append(label, to: &rendered)
            }
            if !rendered.isEmpty { rendered.append(UInt8(ascii: "}")) }
            rendered.append(UInt8(ascii: " "))
            self.init(LabelNames.shared(labels.count) { labels[$0].name }, rendered)
        }

        /// Copies the labels of another storage, with one more before the label at a position.
        convenience init(_ other: Storage, adding label: Label, at position: Int) {
            defer { withExtendedLifetime(other) {} }
            let (names, text) = (other.names, other.rendered)
            let place = LabelSet.start(of: position, text, names)
            var rendered: [UInt8] = []
            rendered.reserveCapacity(text.count + label.name.utf8.count + label.value.utf8.count + 4)
            if position < names.count {
                rendered.append(contentsOf: text[..<place])
                Self.append(label, to: &rendered)
                rendered.append(UInt8(ascii: ","))
                rendered.append(contentsOf: text[place...])
            } else {
                rendered.append(contentsOf: text[..<(place - 1)])
                rendered.append(UInt8(ascii: ","))
                Self.append(label, to: &rendered)
                rendered.append("} ")
            }
            let shared = LabelNames.shared(names.count + 1) { index in
                index == position ? label.name : names[index < position ? index : index - 1]
            }
            self.init(shared, rendered)
        }

        private static func append(_ label: Label, to rendered: inout [UInt8]) {
            rendered.append(contentsOf: label.name.utf8)
            rendered.append("=\"")
            rendered.appendEscaped(label.value, quotes: true)
            rendered.append(UInt8(ascii: "\""))
        }

        private init(_ names: [String], _ rendered: [UInt8]) {
            self.names = names
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
            throw Self.duplicate(label.name)
        }
        storage = Storage(sorted: sorted)
    }

    /// This set with one label more.
    /// - Throws: ``MetricError`` for an invalid or reserved name, or one that the set has.
    public func adding(_ name: String, _ value: String) throws(MetricError) -> LabelSet {
        try Names.checkLabel(name)
        let names = storage.names
        guard !names.isEmpty else { return LabelSet(storage: Storage(sorted: [Label(name, value)])) }
        let position = names.firstIndex { $0 >= name } ?? names.count
        if position < names.count, names[position] == name { throw Self.duplicate(name) }
        return LabelSet(storage: Storage(storage, adding: Label(name, value), at: position))
    }

    private static func duplicate(_ name: String) -> MetricError {
        MetricError(.duplicateLabelName, subject: name, "the label \(name) is given twice: give each name once")
    }

    /// A label's value; nil when the set does not have the label.
    public subscript(name: String) -> String? {
        storage.names.firstIndex(of: name).map { value(at: $0) }
    }

    /// The position of the first label.
    public var startIndex: Int { 0 }

    /// The position after the last label.
    public var endIndex: Int { storage.names.count }

    /// The label at a position, by name.
    public subscript(position: Int) -> Label { Label(storage.names[position], value(at: position)) }

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
        guard storage.names.count == names.count else { return false }
        for (own, name) in zip(storage.names, names) where own != name { return false }
        return true
    }

    /// Whether the set has a label of this name.
    func hasName(_ name: String) -> Bool { storage.names.contains(name) }

    /// Whether the label at a position has this value, byte for byte, without making a text of it.
    package func hasValue(_ value: String, at position: Int) -> Bool {
        var value = value
        return value.withUTF8 { value in
            withEscapedValue(at: position) { escaped in
                var place = 0
                var count = 0
                while place < escaped.count {
                    guard count < value.count, Self.next(escaped, &place) == value[count] else { return false }
                    count += 1
                }
                return count == value.count
            }
        }
    }

    private func value(at position: Int) -> String {
        withEscapedValue(at: position) { escaped in
            String(unsafeUninitializedCapacity: escaped.count) { bytes in
                var place = 0
                var count = 0
                while place < escaped.count {
                    bytes[count] = Self.next(escaped, &place)
                    count += 1
                }
                return count
            }
        }
    }

    /// The byte that stands at a place in an escaped value, which moves on behind it.
    private static func next(_ escaped: UnsafeBufferPointer<UInt8>, _ place: inout Int) -> UInt8 {
        defer { place += 1 }
        guard escaped[place] == UInt8(ascii: "\\") else { return escaped[place] }
        place += 1
        return escaped[place] == UInt8(ascii: "n") ? UInt8(ascii: "\n") : escaped[place]
    }

    /// Gives what stands between the quotation marks of a label to a function.
    private func withEscapedValue<Outcome>(
        at position: Int,
        _ body: (UnsafeBufferPointer<UInt8>) -> Outcome
    ) -> Outcome {
        precondition(indices.contains(position), "there is no such label")
        return withRendered { text in
            let place = Self.start(of: position, text, storage.names)
            let start = place + storage.names[position].utf8.count + 2
            return body(
                UnsafeBufferPointer(rebasing: text[start..<Self.end(of: position, from: place, text, storage.names)])
            )
        }
    }

    /// Where the label at a position begins in a rendered set that has labels; behind the brace for the end.
    private static func start(of position: Int, _ text: UnsafeBufferPointer<UInt8>, _ names: [String]) -> Int {
        // Behind the brace, and behind each quotation mark and comma.
        var place = 1
        for index in 0..<position { place = end(of: index, from: place, text, names) + 2 }
        return place
    }

    /// Where the quotation mark is that ends a label, which begins at a place.
    private static func end(
        of position: Int,
        from place: Int,
        _ text: UnsafeBufferPointer<UInt8>,
        _ names: [String]
    ) -> Int {
        var place = place + names[position].utf8.count + 2
        while text[place] != UInt8(ascii: "\"") { place += text[place] == UInt8(ascii: "\\") ? 2 : 1 }
        return place
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
