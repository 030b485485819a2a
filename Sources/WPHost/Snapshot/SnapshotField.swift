// SPDX-License-Identifier: MIT

/// An object of a snapshot's JSON, declared once as a table of its fields.
protocol SnapshotObject: Codable, Sendable {
    static var fields: [SnapshotField<Self>] { get }
    /// Creates an object without values.
    init()
}

extension SnapshotObject {
    /// Decodes either format.
    public init(from decoder: any Decoder) throws {
        self.init()
        let values = try decoder.container(keyedBy: SnapshotKey.self)
        for field in Self.fields { try field.decode(&self, values) }
    }

    /// Encodes the current format, without unknown values.
    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: SnapshotKey.self)
        for field in Self.fields { try field.encode(self, &values) }
    }
}

/// A field: its property, its key, and its key in the older format if that differs.
struct SnapshotField<Object: SnapshotObject>: Sendable {
    typealias Path<Value> = WritableKeyPath<Object, Value> & Sendable

    let decode: @Sendable (inout Object, KeyedDecodingContainer<SnapshotKey>) throws -> Void
    let encode: @Sendable (Object, inout KeyedEncodingContainer<SnapshotKey>) throws -> Void

    init(
        decode: @escaping @Sendable (inout Object, KeyedDecodingContainer<SnapshotKey>) throws -> Void,
        encode: @escaping @Sendable (Object, inout KeyedEncodingContainer<SnapshotKey>) throws -> Void = { _, _ in }
    ) {
        (self.decode, self.encode) = (decode, encode)
    }

    /// A value that is absent if unknown.
    init<Value: Codable & Sendable>(_ key: SnapshotKey, older: SnapshotKey? = nil, _ path: any Path<Value?>) {
        self.init { object, values in
            object[keyPath: path] =
                try values.decodeIfPresent(Value.self, forKey: key)
                ?? older.flatMap { try values.decodeIfPresent(Value.self, forKey: $0) }
        } encode: { object, values in
            try values.encodeIfPresent(object[keyPath: path], forKey: key)
        }
    }

    /// A value that keeps its default if absent.
    init<Value: Codable & Sendable>(always key: SnapshotKey, older: SnapshotKey? = nil, _ path: any Path<Value>) {
        self.init { object, values in
            let value =
                try values.decodeIfPresent(Value.self, forKey: key)
                ?? older.flatMap { try values.decodeIfPresent(Value.self, forKey: $0) }
            if let value { object[keyPath: path] = value }
        } encode: { object, values in
            try values.encode(object[keyPath: path], forKey: key)
        }
    }

    /// A value that must be present.
    init<Value: Codable & Sendable>(required key: SnapshotKey, _ path: any Path<Value>) {
        self.init { object, values in
            object[keyPath: path] = try values.decode(Value.self, forKey: key)
        } encode: { object, values in
            try values.encode(object[keyPath: path], forKey: key)
        }
    }
}

/// A key of a snapshot's JSON.
struct SnapshotKey: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    var intValue: Int? { nil }

    init(stringLiteral value: String) { stringValue = value }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}
