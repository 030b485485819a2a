// SPDX-License-Identifier: MIT

/// Classes of characters in a regular expression: `[…]` and escapes.
enum PatternClass {
    private typealias Set = PatternProgram.ScalarSet

    private static let digits: [ClosedRange<UInt32>] = [48...57]
    private static let words: [ClosedRange<UInt32>] = [48...57, 65...90, 95...95, 97...122]
    private static let spaces: [ClosedRange<UInt32>] = [9...10, 12...13, 32...32]
    private static let last: UInt32 = 0x10FFFF

    private static let named: [String: [ClosedRange<UInt32>]] = [
        "alnum": [48...57, 65...90, 97...122], "alpha": [65...90, 97...122], "ascii": [0...127],
        "blank": [9...9, 32...32], "cntrl": [0...31, 127...127], "digit": digits, "graph": [33...126],
        "lower": [97...122], "print": [32...126], "punct": [33...47, 58...64, 91...96, 123...126],
        "space": [9...13, 32...32], "upper": [65...90], "word": words, "xdigit": [48...57, 65...70, 97...102],
    ]

    /// What follows a backslash, which has been read.
    static func escape(
        _ scalars: [Unicode.Scalar],
        _ index: inout Int
    ) throws(NamePatternError) -> PatternProgram.ScalarSet {
        let start = index
        guard index < scalars.count else { throw NamePatternError("unexpected end after \\", at: start) }
        let scalar = scalars[index]
        index += 1
        switch scalar {
        case "d": return Set(ranges: digits)
        case "D": return Set(ranges: digits, isNegated: true)
        case "w": return Set(ranges: words)
        case "W": return Set(ranges: words, isNegated: true)
        case "s": return Set(ranges: spaces)
        case "S": return Set(ranges: spaces, isNegated: true)
        case "a": return one(7)
        case "f": return one(12)
        case "n": return one(10)
        case "r": return one(13)
        case "t": return one(9)
        case "v": return one(11)
        case "x":
            let digits = scalars[index...].prefix(2).map { String($0) }.joined()
            guard digits.count == 2, let value = UInt32(digits, radix: 16) else {
                throw NamePatternError("\\x without two hexadecimal digits", at: start)
            }
            index += 2
            return one(value)
        default:
            let isLetterOrDigit = scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
            guard !isLetterOrDigit else { throw NamePatternError("unsupported escape \\\(scalar)", at: start) }
            return one(scalar.value)
        }
    }

    /// What follows an opening bracket, which has been read.
    static func parse(
        _ scalars: [Unicode.Scalar],
        _ index: inout Int
    ) throws(NamePatternError) -> PatternProgram.ScalarSet {
        let start = index - 1
        var set = Set(ranges: [])
        if index < scalars.count, scalars[index] == "^" {
            set.isNegated = true
            index += 1
        }
        var isFirst = true
        while index < scalars.count, isFirst || scalars[index] != "]" {
            isFirst = false
            if scalars[index...].starts(with: "[:".unicodeScalars) {
                try appendNamed(to: &set, scalars, &index)
                continue
            }
            let low = try member(scalars, &index)
            guard let first = low.single, index + 1 < scalars.count, scalars[index] == "-", scalars[index + 1] != "]"
            else {
                set.ranges += low.isNegated ? complement(low.ranges) : low.ranges
                continue
            }
            let rangeStart = index
            index += 1
            guard let end = try member(scalars, &index).single, first <= end else {
                throw NamePatternError("invalid range", at: rangeStart)
            }
            set.ranges.append(first...end)
        }
        guard index < scalars.count else { throw NamePatternError("missing ]", at: start) }
        index += 1
        return set
    }

    private static func member(_ scalars: [Unicode.Scalar], _ index: inout Int) throws(NamePatternError) -> Set {
        guard index < scalars.count else { throw NamePatternError("missing ]", at: index) }
        let scalar = scalars[index]
        index += 1
        return scalar == "\\" ? try escape(scalars, &index) : one(scalar.value)
    }

    private static func appendNamed(
        to set: inout Set,
        _ scalars: [Unicode.Scalar],
        _ index: inout Int
    ) throws(NamePatternError) {
        let start = index
        var name = ""
        index += 2
        let isNegated = index < scalars.count && scalars[index] == "^"
        if isNegated { index += 1 }
        while index < scalars.count, scalars[index] != ":" {
            name.unicodeScalars.append(scalars[index])
            index += 1
        }
        guard let ranges = named[name], scalars[index...].starts(with: ":]".unicodeScalars) else {
            throw NamePatternError("unknown class of characters", at: start)
        }
        index += 2
        set.ranges += isNegated ? complement(ranges) : ranges
    }

    private static func one(_ value: UInt32) -> Set { Set(ranges: [value...value]) }

    private static func complement(_ ranges: [ClosedRange<UInt32>]) -> [ClosedRange<UInt32>] {
        var next: UInt32 = 0
        var result: [ClosedRange<UInt32>] = []
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) {
            if range.lowerBound > next { result.append(next...(range.lowerBound - 1)) }
            next = max(next, range.upperBound + 1)
        }
        if next <= last { result.append(next...last) }
        return result
    }
}

extension PatternProgram.ScalarSet {
    /// Its only character; nil when it has more.
    fileprivate var single: UInt32? {
        guard !isNegated, ranges.count == 1, ranges[0].lowerBound == ranges[0].upperBound else { return nil }
        return ranges[0].lowerBound
    }
}
