// SPDX-License-Identifier: MIT

/// A moment in UTC by the Gregorian calendar, from the year 0 to 9999, to the microsecond.
///
/// Days are turned into dates and back by the method of Howard Hinnant's "chrono-compatible low-level date
/// algorithms", which takes a year to begin in March so that leap days fall at its end.
struct CivilTime: Hashable {
    var year: Int
    var month: Int
    var day: Int
    var hour: Int
    var minute: Int
    var second: Int
    var microsecond: Int

    /// The moment this many microseconds after the epoch; outside of the years 0 to 9999 the nearest within.
    init(microseconds: Int64) {
        let (days, rest) = Self.divide(Self.bounded(microseconds), by: 86_400_000_000)
        microsecond = Int(rest % 1_000_000)
        let seconds = Int(rest / 1_000_000)
        hour = seconds / 3600
        minute = seconds / 60 % 60
        second = seconds % 60

        let (era, dayOfEra64) = Self.divide(days + 719_468, by: 146_097)
        let dayOfEra = Int(dayOfEra64)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let marchMonth = (5 * dayOfYear + 2) / 153
        day = dayOfYear - (153 * marchMonth + 2) / 5 + 1
        month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
        year = yearOfEra + Int(era) * 400 + (month <= 2 ? 1 : 0)
    }

    /// A moment by its parts; nil when there is no such date or time. There are no leap seconds.
    init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int, microsecond: Int = 0) {
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
        // A day that its month lacks comes back as another.
        guard self == CivilTime(microseconds: microseconds) else { return nil }
    }

    /// Microseconds since the epoch.
    var microseconds: Int64 {
        let marchYear = Int64(month <= 2 ? year - 1 : year)
        let (era, yearOfEra) = Self.divide(marchYear, by: 400)
        let marchMonth = Int64(month > 2 ? month - 3 : month + 9)
        let dayOfYear = (153 * marchMonth + 2) / 5 + Int64(day) - 1
        let dayOfEra = yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear
        let days = era * 146_097 + dayOfEra - 719_468
        let seconds = days * 86_400 + Int64(hour * 3600 + minute * 60 + second)
        return seconds * 1_000_000 + Int64(microsecond)
    }

    /// A count of microseconds since the epoch, or the nearest within the years 0 to 9999.
    static func bounded(_ microseconds: Int64) -> Int64 {
        min(max(microseconds, earliest), latest)
    }

    /// 0000-01-01T00:00:00Z.
    private static let earliest: Int64 = -62_167_219_200_000_000
    /// The last microsecond of the year 9999.
    private static let latest: Int64 = 253_402_300_799_999_999

    /// The quotient rounded down, and the rest, which is never negative.
    private static func divide(_ number: Int64, by divisor: Int64) -> (Int64, Int64) {
        let (quotient, rest) = number.quotientAndRemainder(dividingBy: divisor)
        return rest < 0 ? (quotient - 1, rest + divisor) : (quotient, rest)
    }
}
