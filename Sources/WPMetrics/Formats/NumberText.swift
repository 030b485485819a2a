// SPDX-License-Identifier: MIT

/// The text of a sample's value: the shortest that reads back as the same number; whole numbers that a `Double` holds
/// exactly (up to 2^53) without exponent or fraction.
enum NumberText {
    /// More bytes than any number takes.
    static let capacity = 28

    /// Writes a number.
    /// - Parameter start: where ``capacity`` bytes have room.
    /// - Returns: how many bytes it took.
    @inline(__always)
    static func write(_ value: Double, to start: UnsafeMutablePointer<UInt8>) -> Int {
        let magnitude = value.magnitude
        guard magnitude < 1e12 else { return writeUnusual(value, to: start) }
        var end = start
        if value.sign == .minus {
            end.pointee = UInt8(ascii: "-")
            end += 1
        }
        // Up to three decimals and fifteen digits: a Double distinguishes any two such numbers, so that those digits are
        // the shortest that read back as it.
        // Adding 2^52 rounds to a whole number, and is cheaper than a call of the mathematical library.
        let thousandths = (magnitude * 1000 + 0x1p52) - 0x1p52
        guard thousandths / 1000 == magnitude else { return writeUnusual(value, to: start) }
        let (whole, fraction) = UInt64(thousandths).quotientAndRemainder(dividingBy: 1000)
        end += write(whole, to: end)
        guard fraction != 0 else { return end - start }
        end[0] = UInt8(ascii: ".")
        end[1] = digit(fraction / 100)
        end[2] = digit(fraction / 10 % 10)
        end[3] = digit(fraction % 10)
        return end - start + (fraction % 10 != 0 ? 4 : fraction % 100 != 0 ? 3 : 2)
    }

    /// Writes a whole number, which takes up to 20 bytes.
    @inline(__always)
    static func write(_ value: UInt64, to start: UnsafeMutablePointer<UInt8>) -> Int {
        var count = 1
        var rest = value
        while rest >= 10 {
            rest /= 10
            count += 1
        }
        rest = value
        var position = count
        while position > 0 {
            position -= 1
            start[position] = digit(rest % 10)
            rest /= 10
        }
        return count
    }

    @inline(__always)
    private static func digit(_ value: UInt64) -> UInt8 {
        UInt8(ascii: "0") + UInt8(truncatingIfNeeded: value)
    }

    @inline(never)
    private static func writeUnusual(_ value: Double, to start: UnsafeMutablePointer<UInt8>) -> Int {
        if value.magnitude <= 0x1p53, value.rounded(.towardZero) == value {
            let sign = value.sign == .minus ? 1 : 0
            start.pointee = UInt8(ascii: "-")
            return sign + write(UInt64(value.magnitude), to: start + sign)
        }
        var text = value.isFinite ? value.description : value.isNaN ? "NaN" : value < 0 ? "-Inf" : "+Inf"
        return text.withUTF8 { text in
            guard let source = text.baseAddress else { return 0 }
            let count = min(text.count, capacity)
            start.update(from: source, count: count)
            return count
        }
    }
}
