// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One thing that was logged.
public struct LogRecord: Sendable {
    /// When it happened.
    public var time: Date
    /// How much it matters.
    public var level: LogLevel
    /// What happened: a constant sentence without values, so that it can be searched for.
    public var message: String
    /// The values, in the order that they were given.
    public var fields: LogFields
    /// Where in the source it was logged.
    public var caller: Caller

    /// Creates a record.
    public init(time: Date, level: LogLevel, message: String, fields: LogFields, caller: Caller) {
        self.time = time
        self.level = level
        self.message = message
        self.fields = fields
        self.caller = caller
    }

    /// A place in the source.
    public struct Caller: Sendable, Hashable {
        /// `Module/File.swift`, as `#fileID` gives it.
        public var fileID: String
        /// The line, from 1.
        public var line: UInt

        /// Creates a place.
        public init(fileID: String, line: UInt) {
            self.fileID = fileID
            self.line = line
        }
    }
}

/// A typed value in a log record.
public enum LogValue: Sendable, Hashable {
    /// Text.
    case string(String)
    /// A whole number.
    case int(Int64)
    /// A number. Not finite ones are written as text.
    case double(Double)
    /// Yes or no.
    case bool(Bool)
}

extension LogValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral
{
    /// Text.
    public init(stringLiteral value: String) { self = .string(value) }
    /// A whole number.
    public init(integerLiteral value: Int64) { self = .int(value) }
    /// A number.
    public init(floatLiteral value: Double) { self = .double(value) }
    /// Yes or no.
    public init(booleanLiteral value: Bool) { self = .bool(value) }

    /// A whole number.
    public static func int(_ value: Int) -> LogValue { .int(Int64(value)) }

    /// A span in milliseconds, to the microsecond. Keys of such values end in `_ms`.
    public static func milliseconds(_ span: Duration) -> LogValue {
        let (seconds, attoseconds) = span.components
        let microseconds = seconds * 1_000_000 + attoseconds / 1_000_000_000_000
        return .double(Double(microseconds) / 1000)
    }

    /// Whatever describes itself, as text. A secret describes itself as `<REDACTED>`.
    public static func describing(_ value: some Sendable) -> LogValue { .string(String(describing: value)) }
}

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
}
