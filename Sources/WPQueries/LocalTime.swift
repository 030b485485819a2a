// SPDX-License-Identifier: MIT

import WPText

/// What calendar and clock of some time zone show (the proleptic Gregorian calendar).
package struct LocalTime: Sendable, Hashable {
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
        let (days, rest) = GregorianDate.divide(seconds, by: 86_400)
        let date = GregorianDate(daysSince1970: days)
        self.init(
            year: date.year,
            month: date.month,
            day: date.day,
            hour: rest / 3600,
            minute: rest / 60 % 60,
            second: rest % 60
        )
    }

    /// Seconds since 1970 on a clock that knows no time zone.
    package var seconds: Int { Self.days(year, month, day) * 86_400 + hour * 3600 + minute * 60 + second }

    /// 0 is Sunday.
    package var weekday: Int { GregorianDate.divide(Self.days(year, month, day) + 4, by: 7).rest }

    /// Days since 1970.
    static func days(_ year: Int, _ month: Int, _ day: Int) -> Int {
        GregorianDate(year: year, month: month, day: day).daysSince1970
    }

    /// The days that a month may have.
    static func longest(month: Int) -> Int { [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1] }
}
