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

    /// The fields in order. A key may stand twice; handlers write the last one.
    public private(set) var all: [Field]

    /// Creates fields from a literal.
    public init(dictionaryLiteral elements: (String, LogValue)...) {
        all = elements.map { Field(key: $0.0, value: $0.1) }
    }

    /// No fields.
    public init() {
        all = []
    }

    /// Whether there are none.
    public var isEmpty: Bool { all.isEmpty }

    /// The last value of a key.
    public subscript(key: String) -> LogValue? {
        all.last { $0.key == key }?.value
    }

    /// Adds a field at the end.
    public mutating func append(_ key: String, _ value: LogValue) {
        all.append(Field(key: key, value: value))
    }

    /// Adds fields at the end.
    public mutating func append(_ other: LogFields) {
        all.append(contentsOf: other.all)
    }

    /// These fields, then others.
    func followed(by others: LogFields) -> LogFields {
        if others.isEmpty { return self }
        if isEmpty { return others }
        var joined = self
        joined.append(others)
        return joined
    }

    /// Gives each key once, with its last value, in order. A key that the format itself writes gets the prefix
    /// `field_`.
    func forEachWritten(reserved: [String] = [], _ body: (String, LogValue) -> Void) {
        var named = all
        for index in named.indices where reserved.contains(named[index].key) {
            named[index].key = "field_" + named[index].key
        }
        for (index, field) in named.enumerated()
        where !named[(index + 1)...].contains(where: { $0.key == field.key }) {
            body(field.key, field.value)
        }
    }
}
