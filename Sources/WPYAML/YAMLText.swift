// SPDX-License-Identifier: MIT

/// Checks the characters of a document before it is parsed.
enum YAMLText {
    /// The text without its byte order mark, with every line break as `\n`, and with one at the end. It contains no
    /// NUL, which marks the end for the parser.
    /// - Throws: ``YAMLFault`` for bytes that are not UTF-8 and for characters outside `c-printable` (YAML 1.2.2, 5.1).
    static func normalized(_ bytes: [UInt8]) throws(YAMLFault) -> [UInt8] {
        if bytes.starts(with: [0xFF, 0xFE]) || bytes.starts(with: [0xFE, 0xFF]) {
            throw YAMLFault(.character, at: YAMLPosition(line: 1, column: 1), "the text is UTF-16; save it as UTF-8")
        }
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + 1)
        var position = YAMLPosition(line: 1, column: 1)
        var index = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        while index < bytes.count {
            let byte = bytes[index]
            switch byte {
            case 0x0A, 0x0D:
                index += byte == 0x0D && index + 1 < bytes.count && bytes[index + 1] == 0x0A ? 2 : 1
                result.append(0x0A)
                position = YAMLPosition(line: position.line + 1, column: 1)
                continue
            case 0x09, 0x20...0x7E:
                result.append(byte)
                index += 1
            case 0x80...0xFF:
                let length = try scalarLength(bytes, index, position)
                result.append(contentsOf: bytes[index..<index + length])
                index += length
            default:
                throw YAMLFault(.character, at: position, "the control character \(hexadecimal(byte)) is not allowed")
            }
            position.column += 1
        }
        if let last = result.last, last != 0x0A { result.append(0x0A) }
        return result
    }

    /// The length in bytes of the multi-byte scalar at an index, which must be a valid character.
    private static func scalarLength(
        _ bytes: [UInt8],
        _ index: Int,
        _ position: YAMLPosition
    ) throws(YAMLFault) -> Int {
        let length = bytes[index] >= 0xF0 ? 4 : bytes[index] >= 0xE0 ? 3 : 2
        let end = min(index + length, bytes.count)
        guard let text = String(validating: bytes[index..<end], as: UTF8.self),
            let scalar = text.unicodeScalars.first, end == index + length
        else {
            throw YAMLFault(.character, at: position, "the byte \(hexadecimal(bytes[index])) is not UTF-8")
        }
        let isControl = (0x80...0x9F).contains(scalar.value) && scalar.value != 0x85
        guard !isControl, scalar.value != 0xFFFE, scalar.value != 0xFFFF else {
            throw YAMLFault(.character, at: position, "the character U+\(hexadecimal(scalar.value)) is not allowed")
        }
        return length
    }

    private static func hexadecimal(_ byte: UInt8) -> String {
        let digits = String(byte, radix: 16, uppercase: true)
        return "0x" + (digits.utf8.count == 1 ? "0" + digits : digits)
    }

    private static func hexadecimal(_ scalar: UInt32) -> String {
        let digits = String(scalar, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    }
}
