// SPDX-License-Identifier: MIT

package import WPText

/// What calendar and clock of some time zone show.
package struct LocalTime: Sendable, Hashable {
    package var date: GregorianDate
    package var hour: Int
    package var minute: Int
    package var second: Int

    package init(_ date: GregorianDate, hour: Int = 0, minute: Int = 0, second: Int = 0) {
        self.date = date
        (self.hour, self.minute, self.second) = (hour, minute, second)
    }

    /// - Parameter seconds: seconds since 1970 on a clock that knows no time zone.
    package init(_ seconds: Int) {
        let (days, rest) = GregorianDate.divide(seconds, by: 86_400)
        self.init(GregorianDate(daysSince1970: days), hour: rest / 3600, minute: rest / 60 % 60, second: rest % 60)
    }

    /// Seconds since 1970 on a clock that knows no time zone.
    package var seconds: Int { date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second }
}
