// SPDX-License-Identifier: MIT

import Testing

@testable import WPCore

@Suite struct GregorianDateTests {
    @Test(arguments: [
        (0, 1970, 1, 1), (-1, 1969, 12, 31), (59, 1970, 3, 1), (11_016, 2000, 2, 29), (11_017, 2000, 3, 1),
        (-25_509, 1900, 2, 28), (-25_508, 1900, 3, 1), (-719_528, 0, 1, 1), (2_932_896, 9999, 12, 31),
    ])
    func `converts between days and dates`(days: Int, year: Int, month: Int, day: Int) {
        let date = GregorianDate(year: year, month: month, day: day)
        #expect(GregorianDate(daysSince1970: days) == date)
        #expect(date.daysSince1970 == days)
    }

    @Test func `the longest day of a month is the last of a leap year`() {
        for month in 1...12 {
            let next = GregorianDate(year: month == 12 ? 2025 : 2024, month: month % 12 + 1, day: 1)
            #expect(GregorianDate(daysSince1970: next.daysSince1970 - 1).day == GregorianDate.longest(month: month))
        }
    }

    @Test func `computes weekdays before and after the epoch`() {
        #expect(GregorianDate(year: 2026, month: 11, day: 22).weekday == 0)
        #expect(GregorianDate(year: 1969, month: 12, day: 31).weekday == 3)
    }

    @Test func `a remainder is never negative`() {
        let (quotient, rest) = GregorianDate.divide(-1, by: 7)
        #expect(quotient == -1)
        #expect(rest == 6)
    }
}
