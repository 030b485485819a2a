// SPDX-License-Identifier: MIT

import Testing
import WPCore
@testable import WPSQL

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct ScheduleTests {
    /// The rules for Berlin, from the last line of its file.
    static let berlin = "CET-1CEST,M3.5.0,M10.5.0/3"

    /// A time zone file without transitions, except for its footer.
    static func zone(_ footer: String, types: [Int32] = [0]) throws -> TimeZoneRules {
        func header(types: Int) -> [UInt8] {
            Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15)
                + [0, 0, 0, 0, types, 1].flatMap { [0, 0, 0, UInt8($0)] }
        }
        let type: [UInt8] = [0, 0, 0, 0, 0, 0]
        let bytes = header(types: 1) + type + [0] + header(types: 1) + type + [0] + Array("\n\(footer)\n".utf8)
        return try #require(TimeZoneRules(file: bytes))
    }

    private func next(_ text: String, after: LocalTime, _ zone: TimeZoneRules) throws -> [Int] {
        let expression = try CronExpression(text)
        var moment = zone.moment(ofLocal: after.seconds)
        return try (0..<3).map { _ in
            moment = try #require(expression.next(after: Double(moment), in: zone))
            return moment
        }
    }

    private func local(_ moment: Int, _ zone: TimeZoneRules) -> String {
        let time = LocalTime(moment + zone.offset(at: moment))
        let two = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
        return "\(time.date.year)-\(two(time.date.month))-\(two(time.date.day)) \(two(time.hour)):\(two(time.minute))"
    }

    @Test func `converts between calendar dates and seconds`() {
        for seconds in stride(from: -70_000_000_000, to: 70_000_000_000, by: 123_456_789) {
            let time = LocalTime(seconds)
            #expect(time.seconds == seconds)
            // Foundation uses the Julian calendar before 1582.
            guard seconds > -11_000_000_000 else { continue }
            let two = { (number: Int) in number < 10 ? "0\(number)" : "\(number)" }
            let expected = Date(timeIntervalSince1970: Double(seconds)).formatted(.iso8601)
            let date = "\(time.date.year)-\(two(time.date.month))-\(two(time.date.day))"
            #expect(expected.hasPrefix("\(date)T\(two(time.hour)):"), "\(expected)")
        }
    }

    @Test(arguments: [
        ("* * * * *", ["2026-01-01 00:01", "2026-01-01 00:02", "2026-01-01 00:03"]),
        ("*/20 8-9 * * *", ["2026-01-01 08:00", "2026-01-01 08:20", "2026-01-01 08:40"]),
        ("30 6 * * mon", ["2026-01-05 06:30", "2026-01-12 06:30", "2026-01-19 06:30"]),
        ("0 0 * * 0", ["2026-01-04 00:00", "2026-01-11 00:00", "2026-01-18 00:00"]),
        ("0 0 * * 7", ["2026-01-04 00:00", "2026-01-11 00:00", "2026-01-18 00:00"]),
        ("0 0 13 * fri", ["2026-01-02 00:00", "2026-01-09 00:00", "2026-01-13 00:00"]),
        ("0 0 * * sat-sun", ["2026-01-03 00:00", "2026-01-04 00:00", "2026-01-10 00:00"]),
        ("0 0 last nov-feb *", ["2026-01-31 00:00", "2026-02-28 00:00", "2026-11-30 00:00"]),
        ("0 0 L,15 * *", ["2026-01-15 00:00", "2026-01-31 00:00", "2026-02-15 00:00"]),
        ("0 12 29 feb *", ["2028-02-29 12:00", "2032-02-29 12:00", "2036-02-29 12:00"]),
        ("5/25 0 1,15 */6 *", ["2026-01-01 00:05", "2026-01-01 00:30", "2026-01-01 00:55"]),
    ])
    func `cron finds the next minutes`(text: String, expected: [String]) throws {
        let found = try next(text, after: LocalTime(GregorianDate(year: 2026, month: 1, day: 1)), .utc)
        #expect(found.map { local($0, .utc) } == expected)
    }

    @Test(arguments: [
        "", "* * * *", "60 * * * *", "* 24 * * *", "* * 0 * *", "* * * 13 *", "* * * * 8", "a * * * *", "5-1 * * * *",
        "*/0 * * * *", "0 0 31 feb *", "* * * * * *", "1, * * * *",
    ])
    func `rejects invalid cron expressions`(text: String) {
        #expect(throws: CronExpression.Malformed.self) { try CronExpression(text) }
    }

    @Test func `runs a skipped time right after the clock change and a repeated one once`() throws {
        let zone = try Self.zone(Self.berlin)
        let spring = try next("30 2 * * *", after: LocalTime(GregorianDate(year: 2026, month: 3, day: 28)), zone)
        #expect(spring.map { local($0, zone) } == ["2026-03-28 02:30", "2026-03-29 03:00", "2026-03-30 02:30"])
        let autumn = try next("30 2 * * *", after: LocalTime(GregorianDate(year: 2026, month: 10, day: 24)), zone)
        #expect(autumn.map { local($0, zone) } == ["2026-10-24 02:30", "2026-10-25 02:30", "2026-10-26 02:30"])
        #expect(autumn[1] - autumn[0] == 86_400)
        let before = LocalTime(GregorianDate(year: 2026, month: 10, day: 25), hour: 1, minute: 30)
        let hourly = try next("0 * * * *", after: before, zone)
        #expect(hourly.map { local($0, zone) } == ["2026-10-25 02:00", "2026-10-25 02:00", "2026-10-25 03:00"])
    }

    @Test(arguments: [
        ("CET-1CEST,M3.5.0,M10.5.0/3", 1_774_745_999, 3600), ("CET-1CEST,M3.5.0,M10.5.0/3", 1_774_746_000, 7200),
        ("<+0330>-3:30", 0, 12_600), ("NZST-12NZDT,M9.5.0,M4.1.0/3", 1_767_225_600, 46_800),
        ("EST5EDT,M3.2.0,M11.1.0", 1_767_225_600, -18_000), ("IST-1GMT0,M10.5.0,M3.5.0/1", 1_767_225_600, 0),
    ])
    func `applies the last line of a zone file indefinitely`(footer: String, time: Int, offset: Int) throws {
        #expect(try Self.zone(footer).offset(at: time) == offset)
    }

    @Test func `rejects malformed files and names outside the directory`() {
        #expect(TimeZoneRules(file: []) == nil)
        #expect(TimeZoneRules(file: Array("TZif2".utf8) + [UInt8](repeating: 255, count: 200)) == nil)
        for name in ["", "../../etc/passwd", "/etc/passwd", "No/Where"] {
            #expect(throws: TimeZoneRules.Unknown.self) { try TimeZoneRules(named: name) { _ in nil } }
        }
    }

    @Test(arguments: [
        ("2026-03-29 00:59:59", "2026-03-29 00:59:59+01"), ("2026-07-01 12:00:00.25", "2026-07-01 12:00:00.25+02"),
        ("2026-01-01", "2026-01-01 00:00:00+01"),
    ])
    func `treats a timestamp without a zone as local time`(text: String, same: String) throws {
        let zone = try Self.zone(Self.berlin)
        #expect(ColumnValue.timestamp(text, zone) == ColumnValue.timestamp(same, .utc))
    }

    @Test(arguments: [
        ("00:00:01.5", 1.5), ("-01:00:00", -3600), ("1 day 02:00:00", 93_600), ("1 year 2 mons 3 days", 37_000_800),
        ("-2 days +00:00:01", -172_799),
    ])
    func `converts an interval to seconds`(text: String, seconds: Double) {
        #expect(ColumnValue.interval(text) == seconds)
    }

    @Test(arguments: [
        ("12", 20, ColumnValue.number(12)), ("t", 16, .number(1)), ("f", 16, .number(0)),
        ("1e300", 1700, .number(1e300)),
        ("9007199254740992", 20, .number(9_007_199_254_740_992)),
        ("9007199254740993", 20, .rounded(9_007_199_254_740_992)),
        ("-Infinity", 701, .number(-.infinity)), (" 1", 25, .invalid("the value is not a number")),
        ("0x10", 25, .invalid("the value is not a number")), ("1970-01-02 00:00:00+00", 1184, .number(86_400)),
        ("$1.00", 790, .invalid("money depends on the server's locale: cast it to numeric in the query")),
    ])
    func `converts values to numbers by type`(text: String, typeID: UInt32, value: ColumnValue) {
        #expect(ColumnValue(text, typeID: typeID, zone: .utc) == value)
    }
}
