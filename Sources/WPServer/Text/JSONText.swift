// SPDX-License-Identifier: MIT

/// A text as a JSON string (RFC 8259, section 7).
enum JSONText {
    /// The text in quotation marks.
    /// - Parameter maxBytes: cuts the text between two characters; what is cut is marked by an ellipsis.
    static func quoted(_ text: some StringProtocol, maxBytes: Int = .max) -> String {
        var result = "\""
        var used = 0
        for scalar in text.unicodeScalars {
            used += UTF8.width(scalar)
            guard used <= maxBytes else {
                result += "…"
                break
            }
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case "\u{0}"..."\u{1F}", "\u{7F}", "\u{2028}", "\u{2029}":
                let digits = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }
}
