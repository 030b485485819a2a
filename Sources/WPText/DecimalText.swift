// SPDX-License-Identifier: MIT

/// Numbers and moments as decimal text, written where the caller has room for it.
package enum DecimalText {
    /// Room for any number that is written here. Not all of it is used, but all of it may be overwritten.
    package static let numberCapacity = 32
    /// The length of a moment.
    package static let timeLength = 20

    /// Writes a whole number.
    /// - Parameter start: where ``numberCapacity`` bytes have room.
    /// - Returns: the number of bytes it took.
    package static func write(_ value: Int64, to start: UnsafeMutablePointer<UInt8>) -> Int {
        let sign = value < 0 ? 1 : 0
        start.pointee = UInt8(ascii: "-")
        var count = sign + 1
        var rest = value.magnitude
        while rest >= 10 {
            rest /= 10
            count += 1
        }
        write(value.magnitude, digits: count - sign, to: start + sign)
        return count
    }

    /// Writes the last decimal digits of a number, with zeros before it.
    /// - Parameter start: where that many bytes have room.
    package static func write(_ value: UInt64, digits: Int, to start: UnsafeMutablePointer<UInt8>) {
        var rest = value
        for index in stride(from: digits - 1, through: 0, by: -1) {
            start[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }

    /// Writes a number as JSON has it, with seven digits, the least that a 32-bit float always has, without zeros at the
    /// end; `null` for what is not finite.
    /// - Parameter start: where ``numberCapacity`` bytes have room.
    /// - Returns: the number of bytes it took.
    package static func write(_ value: Float, to start: UnsafeMutablePointer<UInt8>) -> Int {
        // Whole numbers, which sensors of percents and volts often give, take half the time.
        if value.magnitude < 10_000, Float(Int32(value)) == value { return writeSmall(Int32(value), to: start) }
        let magnitude = Double(value.magnitude)
        // What has an exponent, or is no number, is rare.
        guard magnitude >= 1e-3 && magnitude < 1e7 else { return writeUnusual(value, to: start) }
        let (decimals, power) = scale(of: magnitude)
        // The product is exact, since both factors together have less than 53 bits. It is rounded to 8 digits at most.
        let digits = digits(of: UInt64(magnitude * power + 0.5))
        let zeros = UInt64(0x3030_3030_3030_3030)
        // The first digit is in the lowest byte.
        let used = 8 - (digits ^ zeros).leadingZeroBitCount / 8
        var end = start
        if value < 0 {
            end.pointee = UInt8(ascii: "-")
            end += 1
        }
        let whole = 8 - decimals
        if whole > 0 {
            let skipped = min((digits ^ zeros).trailingZeroBitCount / 8, whole - 1)
            store(digits >> UInt64(8 * skipped), to: end)
            end += whole - skipped
        } else {
            end.pointee = UInt8(ascii: "0")
            end += 1
        }
        guard used > whole else { return end - start }
        end.pointee = UInt8(ascii: ".")
        end += 1
        if whole < 0 {
            end.pointee = UInt8(ascii: "0")
            end += 1
        }
        let first = max(whole, 0)
        store(digits >> UInt64(8 * first), to: end)
        return end + (used - first) - start
    }

    /// Writes a whole number of four digits at most.
    @inline(__always)
    private static func writeSmall(_ value: Int32, to start: UnsafeMutablePointer<UInt8>) -> Int {
        start.pointee = UInt8(ascii: "-")
        let end = value < 0 ? start + 1 : start
        // Two digits in each lane, then one: see ``digits(of:)``.
        let number = value.magnitude
        let hundreds = (number &* 10_486) >> 20
        let twos = hundreds | (number &- hundreds &* 100) << 16
        let tens = ((twos &* 103) >> 10) & 0x000F_000F
        let digits = tens | (twos &- tens &* 10) << 8
        let skipped = min(digits.trailingZeroBitCount / 8, 3)
        let text = (digits | 0x3030_3030) >> UInt32(truncatingIfNeeded: 8 * skipped)
        UnsafeMutableRawPointer(end).storeBytes(of: text.littleEndian, as: UInt32.self)
        return end + (4 - skipped) - start
    }

    /// How many decimals seven digits have, and ten to the power of that.
    @inline(__always)
    private static func scale(of magnitude: Double) -> (decimals: Int, power: Double) {
        if magnitude >= 1e3 {
            if magnitude >= 1e5 { return magnitude >= 1e6 ? (0, 1) : (1, 1e1) }
            return magnitude >= 1e4 ? (2, 1e2) : (3, 1e3)
        }
        if magnitude >= 1 {
            return magnitude >= 1e2 ? (4, 1e4) : magnitude >= 1e1 ? (5, 1e5) : (6, 1e6)
        }
        return magnitude >= 0.1 ? (7, 1e7) : magnitude >= 0.01 ? (8, 1e8) : (9, 1e9)
    }

    /// Eight decimal digits, the first in the lowest byte.
    @inline(__always)
    private static func digits(of number: UInt64) -> UInt64 {
        // Divides in all lanes at once: four digits each, then two, then one. The factors are the reciprocals of 100 and
        // 10 as fractions, exact for what the lanes hold.
        let (high, low) = number.quotientAndRemainder(dividingBy: 10_000)
        let fours = high | low << 32
        let hundreds = ((fours &* 10_486) >> 20) & 0x7F_0000_007F
        let twos = hundreds | (fours &- hundreds &* 100) << 16
        let tens = ((twos &* 103) >> 10) & 0x000F_000F_000F_000F
        let ones = tens | (twos &- tens &* 10) << 8
        return ones | 0x3030_3030_3030_3030
    }

    @inline(__always)
    private static func store(_ digits: UInt64, to start: UnsafeMutablePointer<UInt8>) {
        UnsafeMutableRawPointer(start).storeBytes(of: digits.littleEndian, as: UInt64.self)
    }

    @inline(never)
    private static func writeUnusual(_ value: Float, to start: UnsafeMutablePointer<UInt8>) -> Int {
        guard value.isFinite else { return write("null", to: start) }
        if value.magnitude < 1e15, value.magnitude >= 1, value.rounded(.towardZero) == value {
            return write(Int64(value), to: start)
        }
        return write(value.description, to: start)
    }

    /// Writes a number as JSON has it, the shortest text that reads back as the same number; whole numbers below 2^53
    /// without exponent or fraction, and `null` for what is not finite.
    /// - Parameter start: where ``numberCapacity`` bytes have room.
    /// - Returns: the number of bytes it took.
    package static func write(_ value: Double, to start: UnsafeMutablePointer<UInt8>) -> Int {
        guard value.isFinite else { return write("null", to: start) }
        if let whole = Int64(exactly: value), whole.magnitude < 1 << 53 { return write(whole, to: start) }
        return write(value.description, to: start)
    }

    private static func write(_ text: consuming String, to start: UnsafeMutablePointer<UInt8>) -> Int {
        text.withUTF8 { text in
            guard let source = text.baseAddress else { return 0 }
            let count = min(text.count, numberCapacity)
            start.update(from: source, count: count)
            return count
        }
    }

    /// Writes a moment in whole seconds since 1970 as RFC 3339 has it, in UTC, for the years 1970 to 9999.
    /// - Parameter start: where ``timeLength`` bytes have room; all of them are used.
    package static func write(time seconds: Int64, to start: UnsafeMutablePointer<UInt8>) {
        let date = GregorianDate(daysSince1970: Int(seconds / 86_400))
        let time = Int(seconds % 86_400)
        @inline(__always)
        func put(_ number: Int, at place: Int, digits: Int, _ mark: Unicode.Scalar) {
            write(UInt64(truncatingIfNeeded: number), digits: digits, to: start + place)
            start[place + digits] = UInt8(ascii: mark)
        }
        put(date.year, at: 0, digits: 4, "-")
        put(date.month, at: 5, digits: 2, "-")
        put(date.day, at: 8, digits: 2, "T")
        put(time / 3600, at: 11, digits: 2, ":")
        put(time / 60 % 60, at: 14, digits: 2, ":")
        put(time % 60, at: 17, digits: 2, "Z")
    }
}

extension [UInt8] {
    /// Appends a whole number in decimal digits.
    package mutating func appendDecimal(_ number: Int64) {
        appendWritten(DecimalText.numberCapacity) { DecimalText.write(number, to: $0) }
    }

    /// Appends the last decimal digits of a number that is not negative, with zeros before it.
    package mutating func appendDecimal(_ number: Int, digits: Int) {
        appendWritten(digits) { start in
            DecimalText.write(UInt64(truncatingIfNeeded: number), digits: digits, to: start)
            return digits
        }
    }

    /// Appends a number with seven digits: see ``DecimalText``.
    package mutating func appendDecimal(_ number: Float) {
        appendWritten(DecimalText.numberCapacity) { DecimalText.write(number, to: $0) }
    }

    /// Appends the shortest text of a number: see ``DecimalText``.
    package mutating func appendDecimal(_ number: Double) {
        appendWritten(DecimalText.numberCapacity) { DecimalText.write(number, to: $0) }
    }

    /// Appends a moment in whole seconds since 1970 as RFC 3339 has it, in UTC, for the years 1970 to 9999.
    package mutating func appendDecimal(time seconds: Int64) {
        appendWritten(DecimalText.timeLength) { start in
            DecimalText.write(time: seconds, to: start)
            return DecimalText.timeLength
        }
    }

    @inline(__always)
    private mutating func appendWritten(_ capacity: Int, _ write: (UnsafeMutablePointer<UInt8>) -> Int) {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: capacity) { room in
            guard let start = room.baseAddress else { return }
            append(contentsOf: UnsafeBufferPointer(start: start, count: write(start)))
        }
    }
}
