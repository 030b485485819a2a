// SPDX-License-Identifier: MIT

/// A parameter value as a literal in a statement.
///
/// Literals are untyped, so that `interval :p`, `date :p`, and a parameter that is both selected and compared behave as
/// in query-exporter.
enum SQLLiteral: Sendable, Hashable {
    case null
    case boolean(Bool)
    case integer(Int)
    case number(Double)
    /// Text without NUL bytes.
    case text(String)
    /// An array.
    case list([SQLLiteral])

    /// The literal, escaped so that its content cannot end it.
    var sql: String {
        switch self {
        case .null: "NULL"
        case .boolean(let value): value ? "true" : "false"
        // With a space, because -- would start a comment.
        case .integer(let value): value < 0 ? " \(value)" : "\(value)"
        case .number(let value) where value.isFinite: value < 0 ? " \(value)" : "\(value)"
        case .number(let value):
            value.isNaN ? "'NaN'::float" : value < 0 ? "'-Infinity'::float" : "'Infinity'::float"
        case .text(let value): Self.quoted(value)
        case .list(let values):
            values.isEmpty ? "'{}'" : "ARRAY[" + values.map(\.sql).joined(separator: ", ") + "]"
        }
    }

    private static func quoted(_ text: String) -> String {
        var bytes: [UInt8] = []
        var hasBackslash = false
        for byte in text.utf8 {
            if byte == UInt8(ascii: "'") || byte == UInt8(ascii: "\\") { bytes.append(byte) }
            hasBackslash = hasBackslash || byte == UInt8(ascii: "\\")
            bytes.append(byte)
        }
        // Escape strings do not depend on standard_conforming_strings.
        return (hasBackslash ? " E'" : "'") + String(decoding: bytes, as: UTF8.self) + "'"
    }
}
