// SPDX-License-Identifier: MIT

import WPCore

/// A JSON text (RFC 8259). Members keep their order and can have any type, to simulate faults.
enum JSON: Sendable {
    case string(String)
    /// A number, verbatim.
    case number(String)
    case bool(Bool)
    case null
    case array([JSON])
    case object([(String, JSON)])

    /// The text without white space.
    var bytes: [UInt8] { Array(text.utf8) }

    static func integer(_ value: Int) -> JSON { .number(String(value)) }

    private var text: String {
        switch self {
        case .string(let text): JSONText.quoted(text)
        case .number(let text): text
        case .bool(let value): "\(value)"
        case .null: "null"
        case .array(let elements): "[\(elements.map(\.text).joined(separator: ","))]"
        case .object(let members):
            "{\(members.map { "\(JSONText.quoted($0.0)):\($0.1.text)" }.joined(separator: ","))}"
        }
    }
}

extension Double {
    /// This value in decimal notation with a fixed number of decimals, rounded to the nearest, in WinPower's format:
    /// `27.0`, `195`. Empty, WinPower's "no value", if it is not finite or exceeds 15 digits.
    /// - Parameter places: clamped to 0 to 6.
    func decimal(_ places: Int) -> String {
        let places = min(max(places, 0), 6)
        let scale = (0..<places).reduce(1.0) { power, _ in power * 10 }
        let scaled = (self * scale).rounded()
        guard scaled.isFinite, scaled.magnitude < 1e15 else { return "" }
        let digits = String(Int64(scaled.magnitude))
        let sign = scaled < 0 ? "-" : ""
        guard places > 0 else { return sign + digits }
        let padded = String(repeating: "0", count: max(0, places + 1 - digits.count)) + digits
        return sign + padded.dropLast(places) + "." + padded.suffix(places)
    }
}
