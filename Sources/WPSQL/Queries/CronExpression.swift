// SPDX-License-Identifier: MIT

import WPCore

/// A schedule in local time in the format of crontab(5): minute, hour, day of month, month, day of week.
///
/// As in crontab(5): names of months and days, lists, ranges and steps; 0 and 7 are Sunday; if both days are
/// restricted, either suffices. In addition, ranges of names may wrap, as in `sat-sun` and `nov-feb`, and `last` is the
/// last day of a month.
///
/// A time that a clock change skips runs right after the change, and a repeated one runs once, except if the hour is
/// `*`.
package struct CronExpression: Sendable, Hashable {
    /// Why a string is not a cron expression.
    package struct Malformed: Error, Sendable, CustomStringConvertible {
        package let description: String
    }

    private let minutes: Set<Int>
    private let hours: Set<Int>
    private let days: Set<Int>
    private let includesLastDay: Bool
    private let months: Set<Int>
    private let weekdays: Set<Int>
    private let isAnyDay: Bool
    private let isAnyWeekday: Bool
    private let isEveryHour: Bool

    /// Parses an expression of five fields.
    package init(_ text: String) throws(Malformed) {
        let fields = text.split { $0 == " " || $0 == "\t" }.map(String.init)
        guard fields.count == 5 else {
            throw Malformed(
                description: "expected five fields (minute, hour, day, month, weekday), found \(fields.count)"
            )
        }
        minutes = try Self.values(fields[0], 0...59, "minute")
        hours = try Self.values(fields[1], 0...23, "hour")
        let listed = fields[2].split(separator: ",", omittingEmptySubsequences: false)
        let plain = listed.filter { $0.lowercased() != "last" && $0.lowercased() != "l" }
        includesLastDay = plain.count < listed.count
        days =
            plain.isEmpty ? [] : try Self.values(plain.joined(separator: ","), 1...31, "day of the month")
        months = try Self.values(fields[3], 1...12, "month", names: Self.monthNames, firstName: 1)
        weekdays = Set(
            try Self.values(fields[4], 0...7, "day of the week", names: Self.weekdayNames, firstName: 0).map { $0 % 7 }
        )
        (isAnyDay, isAnyWeekday) = (fields[2].hasPrefix("*"), fields[4].hasPrefix("*"))
        isEveryHour = fields[1].hasPrefix("*")
        let hasDay = days.contains { day in months.contains { day <= GregorianDate.longest(month: $0) } }
        guard hasDay || includesLastDay || !isAnyWeekday else {
            throw Malformed(description: "there is no such day in these months")
        }
    }

    /// The next matching minute after a moment, in seconds since 1970; nil if there is none within five years.
    package func next(after moment: Double, in zone: TimeZoneRules) -> Int? {
        var time = (Int(moment.rounded(.down)) / 60 + 1) * 60
        let end = time + 5 * 366 * 86_400
        while time < end {
            let offset = zone.offset(at: time)
            let skipped = offset - zone.offset(at: time - 60)
            if skipped > 0, !isEveryHour {
                // The clock was just moved forward.
                let missed = stride(from: time + offset - skipped, to: time + offset, by: 60)
                if missed.contains(where: { matches(LocalTime($0)) }) { return time }
            }
            let local = LocalTime(time + offset)
            if !matchesDay(local) || !hours.contains(local.hour) {
                // Advance to the next quarter of an hour, so that no clock change is missed.
                time += 900 - (time + offset) % 900
                continue
            }
            if minutes.contains(local.minute), isEveryHour || !isRepeated(time, offset, zone) { return time }
            time += 60
        }
        return nil
    }

    private func matches(_ local: LocalTime) -> Bool {
        matchesDay(local) && hours.contains(local.hour) && minutes.contains(local.minute)
    }

    private func matchesDay(_ local: LocalTime) -> Bool {
        guard months.contains(local.date.month) else { return false }
        var day = days.contains(local.date.day)
        if includesLastDay {
            let next = GregorianDate(daysSince1970: local.date.daysSince1970 + 1)
            day = day || next.day == 1
        }
        let weekday = weekdays.contains(local.date.weekday)
        return isAnyDay || isAnyWeekday ? day && weekday : day || weekday
    }

    /// Whether the local time repeats after the clock was moved back.
    private func isRepeated(_ time: Int, _ offset: Int, _ zone: TimeZoneRules) -> Bool {
        [1800, 3600, 7200].contains { zone.offset(at: time - $0) - offset == $0 }
    }

    private static let monthNames = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ]
    private static let weekdayNames = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"]

    private static func values(
        _ field: String,
        _ range: ClosedRange<Int>,
        _ name: String,
        names: [String] = [],
        firstName: Int = 0
    ) throws(Malformed) -> Set<Int> {
        var found: Set<Int> = []
        for part in field.split(separator: ",", omittingEmptySubsequences: false) {
            let halves = part.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
            var step = 1
            if halves.count == 2 {
                guard let number = Int(halves[1]), (1...range.upperBound).contains(number) else {
                    throw fault(name, range)
                }
                step = number
            }
            let bounds = halves[0].split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
            let number = { (text: Substring) -> Int? in
                names.firstIndex(of: text.lowercased()).map { $0 + firstName } ?? Int(text)
            }
            let (low, high): (Int, Int)
            if halves[0] == "*" {
                (low, high) = (range.lowerBound, range.upperBound)
            } else if bounds.count == 2, let first = number(bounds[0]), let last = number(bounds[1]) {
                (low, high) = (first, last)
            } else if bounds.count == 1, let only = number(bounds[0]) {
                (low, high) = (only, halves.count == 2 ? range.upperBound : only)
            } else {
                throw fault(name, range)
            }
            guard range.contains(low), range.contains(high) else { throw fault(name, range) }
            guard low <= high || !names.isEmpty else { throw fault(name, range) }
            // Days of the week are 0 to 7, where 7 equals 0.
            let count = range == 0...7 ? 7 : range.count
            let end = low <= high ? high : high + count
            found.formUnion(
                stride(from: low, through: end, by: step).map { $0 <= range.upperBound ? $0 : $0 - count }
            )
        }
        return found
    }

    private static func fault(_ name: String, _ range: ClosedRange<Int>) -> Malformed {
        Malformed(
            description:
                "invalid \(name): expected numbers from \(range.lowerBound) to \(range.upperBound), "
                + "such as 5, 1-5, */15 or 1,3"
        )
    }
}
