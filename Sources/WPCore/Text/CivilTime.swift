// SPDX-License-Identifier: MIT

/// A time in UTC in the Gregorian calendar, from year 0 to 9999, in microseconds.
package struct CivilTime: Sendable, Hashable {
    package var year: Int
    package var month: Int
    package var day: Int
    package var hour: Int
    package var minute: Int
    package var second: Int
    package var microsecond: Int

    /// The time this many microseconds after the epoch, clamped to the years 0 to 9999.
    package init(microseconds: Int64) {
        let (days, rest) = GregorianDate.divide(Int(Self.bounded(microseconds)), by: 86_400_000_000)
        microsecond = rest % 1_000_000
        let seconds = rest / 1_000_000
        hour = seconds / 3600
        minute = seconds / 60 % 60
        second = seconds % 60
        let date = GregorianDate(daysSince1970: days)
        (year, month, day) = (date.year, date.month, date.day)
    }

    /// A time from its components; nil for an invalid date or time. There are no leap seconds.
    package init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int, microsecond: Int = 0) {
        guard (0...9999).contains(year), (1...12).contains(month), (1...31).contains(day), (0...23).contains(hour),
            (0...59).contains(minute), (0...59).contains(second), (0...999_999).contains(microsecond)
        else { return nil }
        self.year = year
        self.month = month
        self.day = day
        self.hour = hour
        self.minute = minute
        self.second = second
        self.microsecond = microsecond
        // The conversion changes a day that is beyond the end of its month to another date.
        guard self == CivilTime(microseconds: microseconds) else { return nil }
    }

    /// Microseconds since the epoch.
    package var microseconds: Int64 {
        let days = GregorianDate(year: year, month: month, day: day).daysSince1970
        let seconds = days * 86_400 + hour * 3600 + minute * 60 + second
        return Int64(seconds * 1_000_000 + microsecond)
    }

    /// Microseconds since the epoch, clamped to the years 0 to 9999.
    package static func bounded(_ microseconds: Int64) -> Int64 {
        min(max(microseconds, earliest), latest)
    }

    /// 0000-01-01T00:00:00Z.
    private static let earliest: Int64 = -62_167_219_200_000_000
    /// The last microsecond of the year 9999.
    private static let latest: Int64 = 253_402_300_799_999_999
}
