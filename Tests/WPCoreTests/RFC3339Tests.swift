// SPDX-License-Identifier: MIT

import Testing

import WPCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct RFC3339Tests {
    @Test(arguments: [
        (0, "1970-01-01T00:00:00.000Z"), (1_750_000_000.123, "2025-06-15T15:06:40.123Z"),
        (951_782_400, "2000-02-29T00:00:00.000Z"), (4_107_542_399.999, "2100-02-28T23:59:59.999Z"),
        (4_107_542_400, "2100-03-01T00:00:00.000Z"), (-0.001, "1969-12-31T23:59:59.999Z"),
        (-62_167_219_200, "0000-01-01T00:00:00.000Z"), (253_402_300_799, "9999-12-31T23:59:59.000Z"),
        (-1e300, "0000-01-01T00:00:00.000Z"), (1e300, "9999-12-31T23:59:59.999Z"),
        (.infinity, "9999-12-31T23:59:59.999Z"), (-.infinity, "0000-01-01T00:00:00.000Z"),
        (.nan, "1970-01-01T00:00:00.000Z"),
    ])
    func formatsTimes(_ seconds: Double, _ expected: String) {
        #expect(RFC3339.string(Date(timeIntervalSince1970: seconds)) == expected)
    }

    @Test(arguments: [
        (RFC3339.Fraction.seconds, "2025-06-15T15:06:59Z"), (.milliseconds, "2025-06-15T15:06:59.999Z"),
        (.microseconds, "2025-06-15T15:06:59.999750Z"),
    ])
    func truncatesFinerFractions(_ fraction: RFC3339.Fraction, _ expected: String) {
        #expect(RFC3339.string(Date(timeIntervalSince1970: 1_750_000_019.99975), fraction: fraction) == expected)
    }

    @Test func agreesWithFoundationOnEveryDay() {
        // 400 years are one full cycle of the Gregorian calendar.
        for day in -73_000..<73_097 {
            let date = Date(timeIntervalSince1970: Double(day) * 86_400 + Double((day % 86_400 + 86_400) % 86_400))
            let own = RFC3339.string(date, fraction: .seconds)
            guard own != date.ISO8601Format() else { continue }
            Issue.record("\(own) instead of \(date.ISO8601Format())")
            return
        }
    }

    @Test(arguments: [
        Int64(-62_167_219_200_000_000), -1, 0, 1, 1_750_000_000_123_456, 253_402_300_799_999_999,
    ])
    func roundTripsThroughComponents(_ microseconds: Int64) {
        let time = CivilTime(microseconds: microseconds)
        #expect(time.microseconds == microseconds)
        #expect(
            CivilTime(
                year: time.year,
                month: time.month,
                day: time.day,
                hour: time.hour,
                minute: time.minute,
                second: time.second,
                microsecond: time.microsecond
            ) == time
        )
    }

    @Test(arguments: [
        (2025, 2, 29, 0, 0, 0), (2025, 0, 1, 0, 0, 0), (2025, 13, 1, 0, 0, 0), (2025, 1, 0, 0, 0, 0),
        (2025, 4, 31, 0, 0, 0), (2025, 1, 1, 24, 0, 0), (2025, 1, 1, 0, 60, 0), (2025, 1, 1, 0, 0, 60),
        (-1, 1, 1, 0, 0, 0), (10_000, 1, 1, 0, 0, 0),
    ])
    func rejectsInvalidDates(_ parts: (Int, Int, Int, Int, Int, Int)) {
        let (year, month, day, hour, minute, second) = parts
        #expect(
            CivilTime(year: year, month: month, day: day, hour: hour, minute: minute, second: second) == nil
        )
    }

    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2025-06-15T15:06:40.25Z", 1_750_000_000.25),
            ("2025-06-15t15:06:40z", 1_750_000_000), ("2025-06-15 23:06:40+08:00", 1_750_000_000),
            ("2025-06-15T11:36:40.5-03:30", 1_750_000_000.5), ("1969-12-31T23:59:59.000000001Z", -1 + 1e-9),
            ("2016-12-31T23:59:60Z", 1_483_228_800), ("2000-02-29T23:59:59Z", 951_868_799),
            ("9999-12-31T23:59:59Z", 253_402_300_799),
        ] as [(String, Double)]
    )
    func parsesTimes(_ text: String, _ seconds: Double) {
        #expect(RFC3339.seconds(text) == seconds)
    }

    @Test(arguments: [
        "", "2026-01-31", "2026-13-01T00:00:00Z", "2026-01-31T12:00:00", "2026-01-31T12:00:00Zx",
        "2026-01-31T12:00:00.Z",
        "2025-02-29T00:00:00Z", "2026-00-01T00:00:00Z", "2026-01-31T24:00:00Z", "2026-01-31T12:60:00Z",
        "2026-01-31T12:00:61Z",
        "2026-01-31T12:00:00+24:00", "2026-01-31T12:00:00+08:60", "2026-01-31T12:00:00+0800",
        "2026-1-31T12:00:00Z", "+026-01-31T12:00:00Z", "2026-01-31T12:00:00,5Z", "2026-01-31T12:00:00.5",
        "2026-01-31T12:00Z",
    ])
    func rejectsOtherFormats(_ text: String) {
        #expect(RFC3339.seconds(text) == nil)
    }

    @Test(arguments: [-62_135_596_800.0, -1, 951_782_400.25, 1_767_225_599.999, 253_402_300_799])
    func roundTrips(_ seconds: Double) throws {
        let text = RFC3339.string(Date(timeIntervalSince1970: seconds), fraction: .microseconds)
        #expect(abs(try #require(RFC3339.seconds(text)) - seconds) < 1e-5)
    }
}
