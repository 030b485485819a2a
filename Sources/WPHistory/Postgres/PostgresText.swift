// SPDX-License-Identifier: MIT

/// Values in PostgreSQL's text format.
enum PostgresText {
    private static let digits = Array("0123456789abcdef".utf8)

    /// Bytes as hexadecimal digits, for `decode(…, 'hex')`.
    static func hex(_ bytes: some Collection<UInt8>) -> String {
        String(unsafeUninitializedCapacity: bytes.count * 2) { buffer in
            var index = 0
            for byte in bytes {
                buffer[index] = digits[Int(byte >> 4)]
                buffer[index + 1] = digits[Int(byte & 15)]
                index += 2
            }
            return index
        }
    }

    /// The bytes of a `bytea` in the format `\x00ff`; empty for any other text.
    static func bytes(_ text: String?) -> [UInt8] {
        guard var text, text.utf8.starts(with: "\\x".utf8) else { return [] }
        return text.withUTF8 { utf8 in
            stride(from: 2, to: utf8.count - 1, by: 2).map { value(utf8[$0]) << 4 | value(utf8[$0 + 1]) }
        }
    }

    private static func value(_ digit: UInt8) -> UInt8 { digit <= 0x39 ? digit & 15 : digit & 15 + 9 }

    /// An array of numbers.
    static func array(_ numbers: some Sequence<some BinaryInteger>) -> String {
        "{" + numbers.map { "\($0)" }.joined(separator: ",") + "}"
    }

    /// An array of doubles.
    static func array(_ numbers: [Double]) -> String {
        "{" + numbers.map { $0.isFinite ? $0.description : $0 < 0 ? "-Infinity" : "Infinity" }.joined(separator: ",")
            + "}"
    }

    /// An array of strings that consist of letters and digits.
    static func array(_ words: some Sequence<String>) -> String {
        "{" + words.map { $0.isEmpty ? "\"\"" : $0 }.joined(separator: ",") + "}"
    }

    /// A double from the server, including infinite ones.
    static func double(_ text: String?) -> Double {
        switch text {
        case "-Infinity": -.infinity
        case "Infinity": .infinity
        // lint: a column of doubles contains nothing else
        default: text.flatMap(Double.init) ?? 0
        }
    }
}
