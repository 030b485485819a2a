// SPDX-License-Identifier: MIT

import WPCore

/// The character classes of RFC 9110, section 5.6, and RFC 3986.
enum HTTPSyntax {
    static let tab: UInt8 = 0x09
    static let lineFeed: UInt8 = 0x0A
    static let carriageReturn: UInt8 = 0x0D
    static let space: UInt8 = 0x20
    static let colon: UInt8 = 0x3A

    /// A set of ASCII characters.
    struct ASCIISet {
        private var members = [Bool](repeating: false, count: 256)

        init(_ characters: String) {
            for byte in characters.utf8 { members[Int(byte)] = true }
        }

        func contains(_ byte: UInt8) -> Bool { members[Int(byte)] }
    }

    static let alphanumeric = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    /// tchar: the characters of methods and field names.
    static let token = ASCIISet(alphanumeric + "!#$%&'*+-.^_`|~")
    /// pchar, "/" and "?", and the square brackets that occur in practice in query parameters such as `name[]`.
    static let target = ASCIISet(alphanumeric + "-._~!$&'()*+,;=:@/?%[]")
    /// reg-name: unreserved, sub-delims and percent-encoding.
    static let registeredName = ASCIISet(alphanumeric + "-._~!$&'()*+,;=%")
    /// The characters of an IP literal in brackets.
    static let addressLiteral = ASCIISet(alphanumeric + ":._~-%")

    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    static func isBlank(_ byte: UInt8) -> Bool { byte == space || byte == tab }

    /// Whether a byte is invalid in a line: a control character except tab.
    static func isControl(_ byte: UInt8) -> Bool { (byte < 0x20 && byte != tab) || byte == 0x7F }

    /// The value of a hexadecimal digit.
    static func hexValue(_ byte: UInt8) -> Int? { PercentEncoding.hexValue(byte).map { Int($0) } }

    /// Parses decimal digits without sign or spaces. Nil if invalid; `Int.max` on overflow.
    static func decimal(_ digits: some Sequence<UInt8>) -> Int? {
        var value = 0
        var isEmpty = true
        var overflows = false
        for byte in digits {
            guard isDigit(byte) else { return nil }
            isEmpty = false
            let (product, first) = value.multipliedReportingOverflow(by: 10)
            let (sum, second) = product.addingReportingOverflow(Int(byte &- 0x30))
            if first || second { overflows = true }
            value = overflows ? 0 : sum
        }
        guard !isEmpty else { return nil }
        return overflows ? Int.max : value
    }

    /// Whether a string is a token of RFC 9110, section 5.6.2.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { token.contains($0) }
    }

    /// Whether a string is a valid field value: no control character except tab, no leading or trailing spaces.
    static func isFieldValue(_ text: String) -> Bool {
        let bytes = text.utf8
        if let first = bytes.first, isBlank(first) { return false }
        if let last = bytes.last, isBlank(last) { return false }
        return bytes.allSatisfy { !isControl($0) }
    }

    /// Decodes received text as UTF-8, or as ISO 8859-1 if it is not valid UTF-8.
    static func text(_ bytes: UnsafeRawBufferPointer) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var scalars = String.UnicodeScalarView()
        for byte in bytes { scalars.append(Unicode.Scalar(byte)) }
        return String(scalars)
    }
}
