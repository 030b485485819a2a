// SPDX-License-Identifier: MIT

extension [UInt8] {
    /// Appends a text of the code as it is.
    mutating func append(_ text: StaticString) {
        append(contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a text as it is.
    mutating func append(utf8Of text: consuming String) {
        text.withUTF8 { append(contentsOf: $0) }
    }

    /// Appends a number in decimal digits.
    mutating func append(_ number: Int64) {
        // As many as the smallest number takes.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
            var rest = number.magnitude
            var start = digits.count
            repeat {
                start -= 1
                digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
                rest /= 10
            } while rest > 0
            if number < 0 {
                start -= 1
                digits[start] = UInt8(ascii: "-")
            }
            append(contentsOf: UnsafeBufferPointer(rebasing: digits[start...]))
        }
    }

    /// Appends the last decimal digits of a number that is not negative, with zeros before it.
    mutating func append(_ number: Int, digits: Int) {
        let start = count
        append(contentsOf: repeatElement(UInt8(ascii: "0"), count: digits))
        var rest = number
        for index in stride(from: start + digits - 1, through: start, by: -1) {
            self[index] += UInt8(truncatingIfNeeded: rest % 10)
            rest /= 10
        }
    }
}
