// SPDX-License-Identifier: MIT

package import WPCore

/// A calendar date and time without a time zone.
package struct LocalTime: Sendable, Hashable {
    package var date: GregorianDate
    package var hour: Int
    package var minute: Int
    package var second: Int

    package init(_ date: GregorianDate, hour: Int = 0, minute: Int = 0, second: Int = 0) {
        self.date = date
        (self.hour, self.minute, self.second) = (hour, minute, second)
    }

    /// - Parameter seconds: seconds since 1970, ignoring time zones.
    package init(_ seconds: Int) {
        let (days, rest) = GregorianDate.divide(seconds, by: 86_400)
        self.init(GregorianDate(daysSince1970: days), hour: rest / 3600, minute: rest / 60 % 60, second: rest % 60)
    }

    /// Seconds since 1970, ignoring time zones.
    package var seconds: Int { date.daysSince1970 * 86_400 + hour * 3600 + minute * 60 + second }
}
