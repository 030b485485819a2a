// SPDX-License-Identifier: MIT

/// What calendar and clock show (the proleptic Gregorian calendar).
package struct CivilTime: Sendable, Hashable {
    package var year: Int
    package var month: Int
    package var day: Int
    package var hour: Int
    package var minute: Int
    package var second: Int

    package init(year: Int, month: Int, day: Int, hour: Int = 0, minute: Int = 0, second: Int = 0) {
        (self.year, self.month, self.day) = (year, month, day)
        (self.hour, self.minute, self.second) = (hour, minute, second)
    }

    /// - Parameter seconds: seconds since 1970 on a clock that knows no time zone.
    package init(_ seconds: Int) {
        let days = (seconds - Self.remainder(seconds, 86_400)) / 86_400
        let rest = Self.remainder(seconds, 86_400)
        // Eras of 400 years begin on March 1st, so that a leap day is the last of its year.
        let shifted = days + 719_468
        let era = (shifted - Self.remainder(shifted, 146_097)) / 146_097
        let ofEra = Self.remainder(shifted, 146_097)
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let monthFromMarch = (5 * ofYear + 2) / 153
        let month = monthFromMarch < 10 ? monthFromMarch + 3 : monthFromMarch - 9
        self.init(
            year: yearOfEra + era * 400 + (month <= 2 ? 1 : 0),
            month: month,
            day: ofYear - (153 * monthFromMarch + 2) / 5 + 1,
            hour: rest / 3600,
            minute: rest / 60 % 60,
            second: rest % 60
        )
    }

    /// Seconds since 1970 on a clock that knows no time zone.
    package var seconds: Int { Self.days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second }

    /// 0 is Sunday.
    package var weekday: Int { Self.remainder(Self.days(year, month, day) + 4, 7) }

    /// Days since 1970.
    static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        let year = month <= 2 ? year - 1 : year
        let era = (year - remainder(year, 400)) / 400
        let yearOfEra = remainder(year, 400)
        let ofYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + ofYear - 719_468
    }

    /// The days that a month may have.
    static func longest(month: Int) -> Int { [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] }

    private static func remainder(_ value: Int, _ divisor: Int) -> Int {
        let rest = value % divisor
        return rest < 0 ? rest + divisor : rest
    }
}
