// SPDX-License-Identifier: MIT

import WPCore

/// The UTC offsets of a time zone, from the system's IANA database (RFC 8536).
package struct TimeZoneRules: Sendable, Hashable {
    /// Why the rules are unavailable.
    package struct Unknown: Error, Sendable, CustomStringConvertible {
        package let description: String
    }

    private struct Transition: Sendable, Hashable {
        let time: Int
        let offset: Int
    }

    private let transitions: [Transition]
    private let firstOffset: Int
    /// The rule after the last transition.
    private let footer: PosixZone?

    /// Coordinated universal time.
    package static let utc = TimeZoneRules(offset: 0)

    /// A fixed offset, in seconds east of Greenwich.
    init(offset: Int) {
        (transitions, firstOffset, footer) = ([], offset, nil)
    }

    /// Loads a time zone by name, such as `Europe/Berlin`.
    /// - Parameter read: returns the bytes of a file; nil if it does not exist. May block.
    package init(named name: String, read: (String) -> [UInt8]?) throws(Unknown) {
        if name == "UTC" {
            self = .utc
            return
        }
        let isName =
            !name.isEmpty && !name.hasPrefix("/") && !name.split(separator: "/").contains("..")
            && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "/_+-".contains($0)) }
        guard isName, let bytes = read("/usr/share/zoneinfo/\(name)"), let rules = TimeZoneRules(file: bytes) else {
            throw Unknown(
                description: "the time zone is not known: expected a name such as Europe/Berlin or UTC; "
                    + "the package tzdata must be installed"
            )
        }
        self = rules
    }

    /// Parses a file of the database; nil if it is malformed.
    init?(file bytes: [UInt8]) {
        guard bytes.count > 44, bytes[0..<4].elementsEqual("TZif".utf8), bytes[4] >= UInt8(ascii: "2") else {
            return nil
        }
        // Skips the first block, which has 32-bit times.
        var reader = ByteReader(bytes: bytes, index: 20)
        guard let first = reader.counts() else { return nil }
        reader.index +=
            first.times * 5 + first.types * 6 + first.letters + first.leaps * 8 + first.standard + first.universal
        reader.index += 20
        guard let counts = reader.counts(), counts.types > 0 else { return nil }
        guard let times = reader.integers(counts.times, size: 8), let indices = reader.integers(counts.times, size: 1)
        else { return nil }
        var offsets: [Int] = []
        for _ in 0..<counts.types {
            guard let offset = reader.integers(1, size: 4)?.first else { return nil }
            offsets.append(offset)
            reader.index += 2
        }
        guard indices.allSatisfy({ $0 >= 0 && $0 < offsets.count }) else { return nil }
        reader.index += counts.letters + counts.leaps * 12 + counts.standard + counts.universal
        transitions = zip(times, indices).map { Transition(time: $0, offset: offsets[$1]) }
        firstOffset = offsets[0]
        let rest = reader.index < bytes.count ? bytes[(reader.index + 1)...] : []
        footer = PosixZone(String(decoding: rest.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self))
    }

    /// The offset at a moment, in seconds: added to UTC, it gives the local time.
    package func offset(at time: Int) -> Int {
        guard let last = transitions.last else { return footer?.offset(at: time) ?? firstOffset }
        if time >= last.time { return footer?.offset(at: time) ?? last.offset }
        return transitions.last { $0.time <= time }?.offset ?? firstOffset
    }

    /// The moment of a local time, in seconds since 1970. A repeated local time is the first of the two; a skipped one
    /// uses the offset before the change.
    package func moment(ofLocal seconds: Int) -> Int {
        let before = offset(at: seconds - 86_400)
        let candidate = seconds - before
        if offset(at: candidate) == before { return candidate }
        let after = offset(at: seconds + 86_400)
        return offset(at: seconds - after) == after ? seconds - after : candidate
    }

    private struct ByteReader {
        let bytes: [UInt8]
        var index: Int

        struct Counts { var universal, standard, leaps, times, types, letters: Int }

        mutating func counts() -> Counts? {
            guard let all = integers(6, size: 4), all.allSatisfy({ (0...100_000).contains($0) }) else { return nil }
            return Counts(
                universal: all[0],
                standard: all[1],
                leaps: all[2],
                times: all[3],
                types: all[4],
                letters: all[5]
            )
        }

        /// Signed big-endian integers.
        mutating func integers(_ count: Int, size: Int) -> [Int]? {
            guard index >= 0, index + count * size <= bytes.count else { return nil }
            return (0..<count).map { _ in
                var value: Int64 = 0
                for byte in bytes[index..<(index + size)] { value = value << 8 | Int64(byte) }
                index += size
                let unused = 64 - size * 8
                return size == 1 ? Int(value) : Int((value << unused) >> unused)
            }
        }
    }
}

/// A rule such as `CET-1CEST,M3.5.0,M10.5.0/3` (POSIX, the variable TZ), the last line of a file.
struct PosixZone: Sendable, Hashable {
    private struct Change: Sendable, Hashable {
        var month, week, weekday: Int
        var time: Int

        /// Local seconds since 1970 of the transition in a year.
        func seconds(in year: Int) -> Int {
            let first = GregorianDate(year: year, month: month, day: 1)
            let next = GregorianDate(year: month == 12 ? year + 1 : year, month: month % 12 + 1, day: 1)
            var day = (weekday - first.weekday + 7) % 7 + (week - 1) * 7
            while day >= next.daysSince1970 - first.daysSince1970 { day -= 7 }
            return (first.daysSince1970 + day) * 86_400 + time
        }
    }

    private let standard: Int
    private let summer: Int
    /// The start and the end of summer time; nil without one.
    private let changes: Changes?

    private struct Changes: Sendable, Hashable { var start, end: Change }

    init?(_ text: String) {
        var rest = Substring(text)
        guard Self.skipName(&rest), let west = Self.time(&rest) else { return nil }
        standard = -west
        guard !rest.isEmpty else {
            (summer, changes) = (standard, nil)
            return
        }
        guard Self.skipName(&rest) else { return nil }
        summer = rest.first == "," ? standard + 3600 : -(Self.time(&rest) ?? (-standard - 3600))
        let parts = rest.split(separator: ",")
        guard parts.count == 2, let start = Self.change(parts[0]), let end = Self.change(parts[1]) else { return nil }
        changes = Changes(start: start, end: end)
    }

    func offset(at time: Int) -> Int {
        guard let changes else { return standard }
        let year = LocalTime(time + standard).date.year
        let (begin, finish) = (changes.start.seconds(in: year) - standard, changes.end.seconds(in: year) - summer)
        let isSummer = begin < finish ? (begin..<finish).contains(time) : !(finish..<begin).contains(time)
        return isSummer ? summer : standard
    }

    private static func skipName(_ rest: inout Substring) -> Bool {
        let before = rest
        if rest.first == "<" {
            rest = rest.drop { $0 != ">" }.dropFirst()
        } else {
            rest = rest.drop { $0.isLetter }
        }
        return rest.count < before.count
    }

    /// Parses `[+-]hh[:mm[:ss]]` as seconds.
    private static func time(_ rest: inout Substring) -> Int? {
        let text = rest.prefix { $0.isNumber || $0 == ":" || $0 == "+" || $0 == "-" }
        rest = rest.dropFirst(text.count)
        let isNegative = text.first == "-"
        let parts = text.drop { $0 == "+" || $0 == "-" }.split(separator: ":").map { Int($0) ?? 1000 }
        guard (1...3).contains(parts.count), parts.allSatisfy({ $0 <= 167 }) else { return nil }
        let seconds = zip(parts, [3600, 60, 1]).reduce(0) { $0 + $1.0 * $1.1 }
        return isNegative ? -seconds : seconds
    }

    private static func change(_ text: Substring) -> Change? {
        let halves = text.split(separator: "/", maxSplits: 1)
        guard let rule = halves.first, rule.first == "M" else { return nil }
        let numbers = rule.dropFirst().split(separator: ".").map { Int($0) ?? -1 }
        guard numbers.count == 3, (1...12).contains(numbers[0]), (1...5).contains(numbers[1]),
            (0...6).contains(numbers[2])
        else { return nil }
        var time = 7200
        if halves.count == 2 {
            var rest = halves[1]
            guard let given = Self.time(&rest) else { return nil }
            time = given
        }
        return Change(month: numbers[0], week: numbers[1], weekday: numbers[2], time: time)
    }
}
