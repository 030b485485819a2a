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

    /// The fields in order. A key may occur twice; handlers write the last one.
    public private(set) var all: [Field]

    /// Creates fields from a literal.
    public init(dictionaryLiteral elements: (String, LogValue)...) {
        all = elements.map { Field(key: $0.0, value: $0.1) }
    }

    /// No fields.
    public init() {
        all = []
    }

    /// Whether there are no fields.
    package var isEmpty: Bool { all.isEmpty }

    /// The last value for a key.
    public subscript(key: String) -> LogValue? {
        all.last { $0.key == key }?.value
    }

    /// Adds a field at the end.
    public mutating func append(_ key: String, _ value: LogValue) {
        all.append(Field(key: key, value: value))
    }

    /// Adds fields at the end.
    package mutating func append(_ other: LogFields) {
        all += other.all
    }

    /// These fields, then others.
    func followed(by others: LogFields) -> LogFields {
        var joined = self
        joined.append(others)
        return joined
    }

    /// The fields to write, in order: each key once, with its last value. A key that the format reserves gets the
    /// prefix `field_`.
    func written(reserved: [String]) -> [Field] {
        let named = all.map { Field(key: reserved.contains($0.key) ? "field_" + $0.key : $0.key, value: $0.value) }
        return named.enumerated().filter { index, field in
            !named[(index + 1)...].contains { $0.key == field.key }
        }.map(\.element)
    }
}
