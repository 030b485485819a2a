// SPDX-License-Identifier: MIT

import Testing
import WPCore

@testable import WPSQL

/// Time zone files, and times near their changes.
@Suite struct TimeZoneTests {
    /// A big-endian integer.
    private static func bytes(_ value: Int, _ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> ((count - 1 - $0) * 8)) }
    }

    /// One block of a file with every kind of table.
    private static func block(_ transitions: [(time: Int, type: Int)], _ offsets: [Int], timeSize: Int) -> [UInt8] {
        var block = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15)
        for count in [2, 1, 3, transitions.count, offsets.count, 4] { block += bytes(count, 4) }
        for transition in transitions { block += bytes(transition.time, timeSize) }
        for transition in transitions { block.append(UInt8(transition.type)) }
        for offset in offsets { block += bytes(offset, 4) + [0, 0] }
        block += Array("ABC\0".utf8)
        return block + [UInt8](repeating: 7, count: 3 * (timeSize + 4) + 1 + 2)
    }

    private static func file(_ transitions: [(time: Int, type: Int)], _ offsets: [Int], _ footer: String) -> [UInt8] {
        block([(5, 0)], [100], timeSize: 4) + block(transitions, offsets, timeSize: 8) + Array("\n\(footer)\n".utf8)
    }

    private static let transitions: [(time: Int, type: Int)] = [(-5_000_000_000, 1), (100, 2), (5_000_000_000, 1)]

    @Test(arguments: [
        (-5_000_000_001, -60), (-5_000_000_000, 3600), (99, 3600), (100, 7200), (4_999_999_999, 7200),
    ])
    func `reads the transitions of a file`(_ time: Int, _ offset: Int) throws {
        let file = Self.file(Self.transitions, [-60, 3600, 7200], "AB-5")
        let rules = try #require(TimeZoneRules(file: file))
        #expect(rules.offset(at: time) == offset)
        #expect(rules.offset(at: 5_000_000_000) == 18_000 && rules.offset(at: 5_000_000_001) == 18_000)
        let last = try #require(TimeZoneRules(file: Self.file(Self.transitions, [-60, 3600, 7200], "")))
        #expect(last.offset(at: 5_000_000_000) == 3600)
    }

    @Test func `reads a file with more than 128 offsets`() throws {
        let offsets = (0..<200).map { $0 * 60 }
        let rules = try #require(TimeZoneRules(file: Self.file([(0, 127), (100, 128), (200, 199)], offsets, "")))
        #expect([0, 100, 200].map { rules.offset(at: $0) } == [7620, 7680, 11_940])
    }

    @Test func `rejects truncated and invalid files`() {
        let file = Self.file(Self.transitions, [-60, 3600, 7200], "")
        // What follows the last offset is skipped, except for the last line.
        let needed = file.count - 2 - (4 + 3 * 12 + 1 + 2) - 2
        for count in 0..<needed { #expect(TimeZoneRules(file: Array(file.prefix(count))) == nil, "\(count) bytes") }
        #expect(TimeZoneRules(file: Self.file([(0, 1)], [0, 60], "")) != nil)
        #expect(TimeZoneRules(file: Self.file([(0, 2)], [0, 60], "")) == nil)
        #expect(TimeZoneRules(file: Self.file([], [], "")) == nil)
        var first = file
        first[4] = UInt8(ascii: "1")
        #expect(TimeZoneRules(file: first) == nil)
    }

    @Test(arguments: ["Europe/Berlin", "Etc/GMT+5", "America/Port-au-Prince", "A_09z/Z"])
    func `reads the file of a name`(_ name: String) throws {
        let file = Self.file([], [60], "")
        var paths: [String] = []
        let rules = try TimeZoneRules(named: name) { path in
            paths.append(path)
            return file
        }
        #expect(paths == ["/usr/share/zoneinfo/\(name)"] && rules.offset(at: 0) == 60)
    }

    @Test(arguments: ["a b", "Europe/Berlín", "a.b", "a@b", "a[b", "a`b", "a{b", "a:b", "a/../b", "..", "/a", ""])
    func `rejects a name that is no path below the directory`(_ name: String) {
        #expect(throws: TimeZoneRules.Unknown.self) {
            try TimeZoneRules(named: name) { _ in Self.file([], [60], "") }
        }
    }

    @Test(
        arguments: [
            ("", false), ("CET", false), ("1", false), ("CET-1", true), ("CET-1CEST", false),
            ("CET-1CEST,M3.5.0", false),
            ("CET-1CEST,M3.5.0,M10.5.0,M1.1.1", false), ("CET-1CEST,M1.1.0,M12.5.6", true),
            ("CET-1CEST,M0.1.0,M12.5.6", false), ("CET-1CEST,M1.1.0,M13.5.6", false),
            ("CET-1CEST,M1.0.0,M12.5.6", false),
            ("CET-1CEST,M1.6.0,M12.5.6", false), ("CET-1CEST,M1.1.7,M12.5.6", false), ("CET-1CEST,M1.1,M12.5.6", false),
            ("CET-1CEST,J60,M12.5.6", false), ("CET-1CEST,M1.1.0/167,M12.5.6/-167:59", true),
            ("CET-1CEST,M1.1.0/168,M12.5.6", false), ("CET-1CEST,M1.1.0/1:2:3:4,M12.5.6", false),
            ("CET-1CEST,M1.1.0/,M12.5.6", true), ("<CET>-1", true), ("CET-1:99999999999999999999", false),
        ]
    )
    func `accepts only complete rules`(_ text: String, _ isValid: Bool) {
        #expect((PosixZone(text) != nil) == isValid)
    }

    private static func seconds(_ month: Int, _ day: Int, _ hour: Int, minute: Int = 0, year: Int = 2026) -> Int {
        LocalTime(GregorianDate(year: year, month: month, day: day), hour: hour, minute: minute).seconds
    }

    @Test(arguments: [
        // The last Sunday of December to the first Saturday of January.
        ("A0B,M12.5.0,M1.1.6", seconds(12, 27, 2), 0, 3600), ("A0B,M12.5.0,M1.1.6", seconds(1, 3, 1), 3600, 0),
        ("A0B,M3.5.0,M10.5.0/3:30:15", seconds(10, 25, 2, minute: 30) + 15, 3600, 0),
        ("A0B-2,M3.1.1,M10.1.0", seconds(3, 2, 2), 0, 7200), ("A0B-2,M3.1.1,M10.1.0", seconds(10, 4, 0), 7200, 0),
        ("A0B,M2.4.6/0,M10.1.0", seconds(2, 28, 0), 0, 3600), ("A0B,M3.5.0/-1,M10.1.0", seconds(3, 28, 23), 0, 3600),
        ("A+1B,M3.5.0/+1,M10.1.0", seconds(3, 29, 2), -3600, 0),
    ])
    func `changes at the time of the rule`(_ text: String, _ time: Int, _ before: Int, _ after: Int) throws {
        let zone = try #require(PosixZone(text))
        #expect([time - 1, time].map { zone.offset(at: $0) } == [before, after])
    }

    @Test(arguments: [
        (seconds(3, 29, 1, minute: 59), 3600), (seconds(3, 29, 2, minute: 30), 3600), (seconds(3, 29, 3), 7200),
        (seconds(10, 25, 2, minute: 30), 7200), (seconds(10, 25, 3), 3600), (seconds(3, 30, 1), 7200),
        (seconds(10, 26, 1), 3600),
    ])
    func `a skipped or repeated local time has the offset before the change`(_ local: Int, _ offset: Int) throws {
        let zone = try ScheduleTests.zone(ScheduleTests.berlin)
        #expect(zone.moment(ofLocal: local) == local - offset)
    }

    @Test(arguments: [
        ("* * * * sat-mon", [0, 1, 3, 4]), ("* * * * 5-7", [0, 2, 3, 4]), ("0 0 1-7/3 * *", [0, 3, 6, 8]),
        ("0 0 */15 * *", [0, 15, 30, 9]),
    ])
    func `a range of days may include the end of the week`(_ text: String, _ expected: [Int]) throws {
        // 1 January 2026 is a Thursday.
        let expression = try CronExpression(text)
        let days = (0..<40).filter { day in
            let start = Self.seconds(1, 1, 0) + day * 86_400
            return expression.next(after: Double(start - 1), in: .utc) == start
        }
        let weekdays = Set(days.map { ($0 + 4) % 7 })
        if text.hasPrefix("*") {
            let included = text.hasSuffix("mon") ? [6, 0, 1] : [5, 6, 0]
            #expect(weekdays == Set(included))
        } else {
            #expect(days.prefix(3).elementsEqual(expected.prefix(3)))
        }
    }

    @Test(arguments: ["*/59 * * * *", "59 23 31 12 7", "0 0 30 2 mon", "0 0 L feb *", "0 */23 1-31 jan-dec sun-sat"])
    func `accepts the limits of each field`(_ text: String) {
        #expect(throws: Never.self) { try CronExpression(text) }
    }

    @Test(arguments: [
        "*/60 * * * *", "0 */24 * * *", "0 0 30 2 *", "0 0 */32 * *", "0 0 1 1-0 *", "0 0 1 * mon-x", "1-2-3 * * * *",
        "-5 * * * *", "5- * * * *", "*/ * * * *", "/5 * * * *", ",1 * * * *",
    ])
    func `rejects values beyond each field`(_ text: String) {
        #expect(throws: CronExpression.Malformed.self) { try CronExpression(text) }
    }

    @Test func `looks ahead for five years`() throws {
        let expression = try CronExpression("0 0 29 feb *")
        #expect(expression.next(after: Double(Self.seconds(3, 1, 0, year: 2092)), in: .utc) != nil)
        // 2100 is not a leap year.
        #expect(expression.next(after: Double(Self.seconds(3, 1, 0, year: 2096)), in: .utc) == nil)
    }

    /// Lord Howe Island moves its clock by half an hour.
    @Test func `runs a time that half an hour repeats once`() throws {
        let zone = try ScheduleTests.zone("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0")
        let expression = try CronExpression("45 1 * * *")
        let before = Self.seconds(4, 4, 12)
        let first = try #require(expression.next(after: Double(before), in: zone))
        #expect(first == Self.seconds(4, 5, 1, minute: 45) - 39_600)
        #expect(expression.next(after: Double(first), in: zone) == Self.seconds(4, 6, 1, minute: 45) - 37_800)
    }

    // MARK: Values

    @Test(
        arguments: [
            ("infinity", .infinity), ("-infinity", -.infinity), ("2026-01-01 00:00:00+00 BC", nil), ("2026-00-01", nil),
            ("2026-13-01", nil), ("2026-12-31", 1_798_675_200), ("2026-01-00", nil), ("2026-01-32", nil),
            ("0-01-01", nil),
            ("1-01-01", -62_135_596_800), ("2026-01", nil), ("", nil), ("2026-01-01 00:00", nil),
            ("2026-01-01 x:00:00", nil), ("1970-01-01 01:02:03.5+01:02:03", 0.5), ("1970-01-01 00:00:00-01:30", 5400),
            ("1970-01-01 00:00:00+", nil), ("1970-01-01 00:00:00x", nil), ("1970-01-01 00:00:01", 1),
            ("1970-01-01 00:00:00+1:2:3:4", nil),
        ] as [(String, Double?)]
    )
    func `reads a timestamp`(_ text: String, _ seconds: Double?) {
        #expect(ColumnValue.timestamp(text, .utc) == seconds)
    }

    @Test(
        arguments: [
            ("1 year", 31_557_600), ("2 years 1 mon", 65_707_200), ("1 day", 86_400), ("-1 days", -86_400),
            ("01:02:03.25", 3723.25), ("-00:00:01 1 day", 86_399), ("", nil), ("1", nil), ("1 week", nil),
            ("x day", nil),
            ("01:02", nil), ("01:02:03:04", nil), ("1 day 2", nil),
        ] as [(String, Double?)]
    )
    func `reads an interval`(_ text: String, _ seconds: Double?) {
        #expect(ColumnValue.interval(text) == seconds)
    }

    @Test(arguments: [
        ("9007199254740991", 20, ColumnValue.number(9_007_199_254_740_991)),
        ("-9007199254740993", 20, .rounded(-9_007_199_254_740_992)), ("1E+16", 701, .number(1e16)),
        ("9223372036854775808", 1700, .rounded(9_223_372_036_854_775_808)), ("NaN", 701, .invalid("")),
        ("Infinity", 701, .number(.infinity)), ("", 25, .invalid("the value is not a number")),
        ("1/2", 25, .invalid("the value is not a number")), ("9", 25, .number(9)),
        ("1e", 25, .invalid("the value is not a number")),
        ("x", 1184, .invalid("invalid time")), ("x", 1186, .invalid("invalid interval")),
        ("1 day", 1186, .number(86_400)),
        ("1970-01-02", 1082, .number(86_400)), ("1970-01-02 00:00:00", 1114, .number(86_400)),
    ])
    func `reads a number by its type`(text: String, typeID: UInt32, value: ColumnValue) {
        let found = ColumnValue(text, typeID: typeID, zone: .utc)
        guard text == "NaN" else {
            #expect(found == value)
            return
        }
        guard case .number(let number) = found else { return #expect(Bool(false), "\(found)") }
        #expect(number.isNaN)
    }
}
