// SPDX-License-Identifier: MIT

/// The named values of a log record, in order: `["devices": 3, "duration_ms": .milliseconds(span)]`.
public struct LogFields: Sendable, Hashable, ExpressibleByDictionaryLiteral {
    /// One named value.
    public struct Field: Sendable, Hashable {
        /// The name, in snake_case.
        public var key: String
        /// The value.
        public var value: LogValue
    }

    /// Stored as the literal's type, so that a literal needs no conversion.
    private var pairs: [(String, LogValue)]

    /// Creates fields from a literal.
    public init(dictionaryLiteral elements: (String, LogValue)...) {
        pairs = elements
    }

    /// No fields.
    public init() {
        pairs = []
    }

    /// The fields in order. A key may occur twice; handlers write the last one.
    public var all: [Field] { pairs.map { Field(key: $0.0, value: $0.1) } }

    /// Whether there are no fields.
    package var isEmpty: Bool { pairs.isEmpty }

    /// The last value for a key.
    public subscript(key: String) -> LogValue? {
        pairs.last { $0.0 == key }?.1
    }

    /// Adds a field at the end.
    public mutating func append(_ key: String, _ value: LogValue) {
        pairs.append((key, value))
    }

    /// Adds fields at the end.
    package mutating func append(_ other: LogFields) {
        pairs.append(contentsOf: other.pairs)
    }

    /// Whether both have the same fields in the same order.
    public static func == (lhs: LogFields, rhs: LogFields) -> Bool {
        lhs.pairs.elementsEqual(rhs.pairs) { $0 == $1 }
    }

    /// Hashes the fields in order.
    public func hash(into hasher: inout Hasher) {
        for (key, value) in pairs {
            hasher.combine(key)
            hasher.combine(value)
        }
    }

    /// These fields, then others.
    func followed(by others: LogFields) -> LogFields {
        if others.isEmpty { return self }
        if isEmpty { return others }
        var joined = LogFields()
        joined.pairs.reserveCapacity(pairs.count + others.pairs.count)
        joined.append(self)
        joined.append(others)
        return joined
    }

    /// Iterates over the keys in order, each once with its last value. A key that the format reserves gets the prefix
    /// `field_`.
    func forEachWritten(reserved: [String] = [], _ body: (String, LogValue) -> Void) {
        guard hasRepeats || pairs.contains(where: { Self.isReserved($0.0, reserved) }) else {
            for (key, value) in pairs { body(key, value) }
            return
        }
        let named = pairs.map { (Self.isReserved($0.0, reserved) ? "field_" + $0.0 : $0.0, $0.1) }
        for (index, field) in named.enumerated()
        where !named[(index + 1)...].contains(where: { $0.0 == field.0 }) {
            body(field.0, field.1)
        }
    }

    /// Whether a key occurs twice. Comparing lengths and the first and last bytes first distinguishes most keys.
    private var hasRepeats: Bool {
        var seen: UInt64 = 0
        for (index, (key, _)) in pairs.enumerated() {
            let mark = key.utf8.count &* 7 &+ Int(key.utf8.first ?? 0) &+ Int(key.utf8.last ?? 0) &* 3
            let bit: UInt64 = 1 << UInt64(mark & 63)
            if seen & bit != 0, pairs[..<index].contains(where: { $0.0 == key }) { return true }
            seen |= bit
        }
        return false
    }

    private static func isReserved(_ key: String, _ reserved: [String]) -> Bool {
        // The length of the longest reserved key.
        key.utf8.count <= 6 && reserved.contains(key)
    }
}
