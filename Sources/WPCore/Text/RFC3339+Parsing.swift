// SPDX-License-Identifier: MIT

extension RFC3339 {
    /// Parses a time with any offset from UTC and any number of decimals, such as `2026-01-31T23:59:59.25+08:00`. A
    /// leap second is treated as the first second of the next minute.
    /// - Returns: seconds since 1970; nil if the text is not RFC 3339 or not a valid date.
    package static func seconds(_ text: String) -> Double? {
        var reader = Reader(bytes: Array(text.utf8))
        guard let year = reader.number(4), reader.skip("-"), let month = reader.number(2), reader.skip("-"),
            let day = reader.number(2), reader.skip("Tt "), let hour = reader.number(2), reader.skip(":"),
            let minute = reader.number(2), reader.skip(":"), let second = reader.number(2), second <= 60,
            let fraction = reader.fraction(), let offset = reader.offset(), reader.isAtEnd,
            let minutes = CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: 0)
        else { return nil }
        return Double(minutes.microseconds / 1_000_000 + Int64(second - offset)) + fraction
    }

    private struct Reader {
        let bytes: [UInt8]
        var index = 0

        var isAtEnd: Bool { index == bytes.count }

        mutating func skip(_ characters: String) -> Bool {
            guard index < bytes.count, characters.utf8.contains(bytes[index]) else { return false }
            index += 1
            return true
        }

        /// A number of exactly this many digits; nil if there are fewer.
        mutating func number(_ count: Int) -> Int? {
            guard index + count <= bytes.count else { return nil }
            var value = 0
            for byte in bytes[index..<index + count] {
                guard (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) else { return nil }
                value = value * 10 + Int(byte - UInt8(ascii: "0"))
            }
            index += count
            return value
        }

        /// The fraction of a second after a point; 0 without a point, nil for a point without digits.
        mutating func fraction() -> Double? {
            guard skip(".") else { return 0 }
            let start = index
            while number(1) != nil {}
            guard index > start else { return nil }
            return Double("0." + String(decoding: bytes[start..<index], as: UTF8.self))
        }

        /// Seconds east of UTC.
        mutating func offset() -> Int? {
            if skip("Zz") { return 0 }
            let sign = skip("+") ? 1 : -1
            guard sign > 0 || skip("-"), let hours = number(2), skip(":"), let minutes = number(2), hours < 24,
                minutes < 60
            else { return nil }
            return sign * (hours * 3600 + minutes * 60)
        }
    }
}
