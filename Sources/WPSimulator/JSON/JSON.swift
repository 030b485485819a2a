// SPDX-License-Identifier: MIT

import WPText

/// A JSON text (RFC 8259) under construction. Members keep their order and may be of any type, as a fault needs it.
enum JSON: Sendable {
    case string(String)
    /// A number, as it is to stand in the text.
    case number(String)
    case bool(Bool)
    case null
    case array([JSON])
    case object([(String, JSON)])

    /// The text, without white space.
    var bytes: [UInt8] {
        var bytes: [UInt8] = []
        write(to: &bytes)
        return bytes
    }

    static func integer(_ value: Int) -> JSON { .number(String(value)) }

    private func write(to bytes: inout [UInt8]) {
        switch self {
        case .string(let text):
            bytes.appendQuoted(text)
        case .number(let text):
            bytes.append(contentsOf: text.utf8)
        case .bool(let value):
            bytes.append(contentsOf: (value ? "true" : "false").utf8)
        case .null:
            bytes.append(contentsOf: "null".utf8)
        case .array(let elements):
            bytes.append(UInt8(ascii: "["))
            for (index, element) in elements.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                element.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "]"))
        case .object(let members):
            bytes.append(UInt8(ascii: "{"))
            for (index, member) in members.enumerated() {
                if index > 0 { bytes.append(UInt8(ascii: ",")) }
                bytes.appendQuoted(member.0)
                bytes.append(UInt8(ascii: ":"))
                member.1.write(to: &bytes)
            }
            bytes.append(UInt8(ascii: "}"))
        }
    }
}
