// SPDX-License-Identifier: MIT

import WPText

/// Times as RFC 3339 writes them, without Foundation's formatters.
package enum RFC3339 {
    /// Years 1 to 9999: the four digits that the format has.
    private static let range = -62_135_596_800.0..<253_402_300_800.0

    /// A time in UTC to the millisecond, such as `2026-01-31T23:59:59.250Z`.
    /// - Parameter seconds: since 1970; a time outside years 1 to 9999 is moved to the nearest one inside.
    package static func text(_ seconds: Double) -> String {
        let bounded = seconds.isFinite ? min(max(seconds, range.lowerBound), range.upperBound - 1) : 0
        let milliseconds = Int((bounded * 1000).rounded(.down))
        let (day, ofDay) = GregorianDate.divide(milliseconds, by: 86_400_000)
        let date = GregorianDate(daysSince1970: day)
        let time = [ofDay / 3_600_000, ofDay / 60_000 % 60, ofDay / 1000 % 60].map { padded($0, 2) }
        return "\(padded(date.year, 4))-\(padded(date.month, 2))-\(padded(date.day, 2))T\(time.joined(separator: ":"))"
            + ".\(padded(ofDay % 1000, 3))Z"
    }

    /// The seconds since 1970 of a time; nil when it is not RFC 3339.
    package static func seconds(_ text: String) -> Double? {
        let bytes = Array(text.utf8)
        func number(_ start: Int, _ count: Int) -> Int? {
            guard start + count <= bytes.count else { return nil }
            var value = 0
            for byte in bytes[start..<(start + count)] {
                guard byte.isDigit else { return nil }
                value = value * 10 + Int(byte - 48)
            }
            return value
        }
        func has(_ index: Int, _ characters: String) -> Bool {
            index < bytes.count && characters.utf8.contains(bytes[index])
        }
        guard let year = number(0, 4), has(4, "-"), let month = number(5, 2), has(7, "-"), let day = number(8, 2),
            has(10, "Tt "), let hour = number(11, 2), has(13, ":"), let minute = number(14, 2), has(16, ":"),
            let second = number(17, 2), (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60,
            second <= 60
        else { return nil }
        var index = 19
        var fraction = 0.0
        if has(index, ".") {
            let end = bytes[(index + 1)...].firstIndex { !$0.isDigit } ?? bytes.count
            guard end > index + 1, let value = Double("0" + String(decoding: bytes[index..<end], as: UTF8.self)) else {
                return nil
            }
            (fraction, index) = (value, end)
        }
        var offset = 0
        if has(index, "Zz") {
            index += 1
        } else {
            guard has(index, "+-"), let hours = number(index + 1, 2), has(index + 3, ":"),
                let minutes = number(index + 4, 2), hours < 24, minutes < 60
            else { return nil }
            offset = (hours * 3600 + minutes * 60) * (has(index, "-") ? -1 : 1)
            index += 6
        }
        guard index == bytes.count else { return nil }
        let days = GregorianDate(year: year, month: month, day: day).daysSince1970
        let whole = days * 86_400 + hour * 3600 + minute * 60 + second - offset
        return Double(whole) + fraction
    }

    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(width - digits.utf8.count, 0)) + digits
    }
}
