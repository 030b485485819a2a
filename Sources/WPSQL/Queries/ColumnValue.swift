// SPDX-License-Identifier: MIT

import WPCore

/// The numeric value of a column's text.
enum ColumnValue: Sendable, Hashable {
    case number(Double)
    /// An integer beyond 2^53, which a Double cannot represent exactly.
    case rounded(Double)
    /// Not a number; the reason, which does not quote the value.
    case invalid(String)

    /// Parses a value in PostgreSQL's text format.
    /// - Parameter zone: the time zone of timestamps without one.
    init(_ text: String, typeID: UInt32, zone: TimeZoneRules) {
        switch typeID {
        case 16: self = text == "t" ? .number(1) : .number(0)
        case 790: self = .invalid("money depends on the server's locale: cast it to numeric in the query")
        case 1082, 1114, 1184:
            self = Self.timestamp(text, zone).map { .number($0) } ?? .invalid("invalid time")
        case 1186: self = Self.interval(text).map { .number($0) } ?? .invalid("invalid interval")
        default: self = Self.number(text)
        }
    }

    private static func number(_ text: String) -> ColumnValue {
        switch text {
        case "NaN": return .number(.nan)
        case "Infinity": return .number(.infinity)
        case "-Infinity": return .number(-.infinity)
        default: break
        }
        let isDecimal =
            !text.isEmpty
            && text.utf8.allSatisfy { byte in
                (0x30...0x39).contains(byte) || "+-.eE".utf8.contains(byte)
            }
        guard isDecimal, let number = Double(text) else { return .invalid("the value is not a number") }
        guard number.magnitude >= 9_007_199_254_740_992 else { return .number(number) }
        let isExact = Int64(text).map { Int64(exactly: number) == $0 } ?? (text.contains("e") || text.contains("E"))
        return isExact ? .number(number) : .rounded(number)
    }

    /// Parses `2026-03-29 02:30:00.5+02`, a date, or `infinity` as seconds since 1970.
    static func timestamp(_ text: String, _ zone: TimeZoneRules) -> Double? {
        if text == "infinity" { return .infinity }
        if text == "-infinity" { return -.infinity }
        guard !text.hasSuffix(" BC") else { return nil }
        let halves = text.split(separator: " ", maxSplits: 1)
        let date = halves.first?.split(separator: "-").map { Int($0) ?? -1 } ?? []
        guard date.count == 3, date[0] > 0, (1...12).contains(date[1]), (1...31).contains(date[2]) else { return nil }
        var local = LocalTime(GregorianDate(year: date[0], month: date[1], day: date[2]))
        guard halves.count == 2 else { return Double(zone.moment(ofLocal: local.seconds)) }
        let clock = halves[1].prefix { $0.isNumber || $0 == ":" || $0 == "." }
        let parts = clock.split(separator: ":")
        guard parts.count == 3, let hour = Int(parts[0]), let minute = Int(parts[1]), let second = Double(parts[2])
        else { return nil }
        (local.hour, local.minute) = (hour, minute)
        guard let offset = offset(halves[1].dropFirst(clock.count)) else {
            return halves[1].count == clock.count ? Double(zone.moment(ofLocal: local.seconds)) + second : nil
        }
        return Double(local.seconds - offset) + second
    }

    /// Parses `+02`, `-03:30` or `+01:02:03` as seconds.
    private static func offset(_ text: Substring) -> Int? {
        guard let sign = text.first, sign == "+" || sign == "-" else { return nil }
        let parts = text.dropFirst().split(separator: ":").compactMap { Int($0) }
        guard (1...3).contains(parts.count) else { return nil }
        let seconds = zip(parts, [3600, 60, 1]).reduce(0) { $0 + $1.0 * $1.1 }
        return sign == "-" ? -seconds : seconds
    }

    /// Parses `1 year 2 mons 3 days -04:05:06.7` as seconds, with 365.25 days per year and 30 per month, as in
    /// EXTRACT(epoch).
    static func interval(_ text: String) -> Double? {
        let words = text.split(separator: " ")
        var total = 0.0
        var index = 0
        while index < words.count {
            let word = words[index]
            if word.contains(":") {
                let isNegative = word.first == "-"
                let parts = word.drop { $0 == "-" || $0 == "+" }.split(separator: ":").compactMap { Double($0) }
                guard parts.count == 3 else { return nil }
                let seconds = parts[0] * 3600 + parts[1] * 60 + parts[2]
                total += isNegative ? -seconds : seconds
                index += 1
                continue
            }
            guard let number = Double(word), index + 1 < words.count else { return nil }
            switch words[index + 1] {
            case "year", "years": total += number * 31_557_600
            case "mon", "mons": total += number * 2_592_000
            case "day", "days": total += number * 86_400
            default: return nil
            }
            index += 2
        }
        return words.isEmpty ? nil : total
    }
}
