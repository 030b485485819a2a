// SPDX-License-Identifier: MIT

/// Reproducible pseudo-random numbers: SplitMix64. Not for secrets.
struct SeededGenerator {
    private var state: UInt64

    /// - Parameters:
    ///   - seed: the seed of the simulation.
    ///   - stream: identifies the use of the numbers, so that uses of one seed are independent.
    init(seed: UInt64, stream: UInt64) {
        state = seed
        state = next() ^ stream
        state = next()
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number in a range. Not the standard library's algorithm, because that may change.
    mutating func number(in range: ClosedRange<Double>) -> Double {
        let unit = Double(next() >> 11) * 0x1p-53
        return range.lowerBound + unit * (range.upperBound - range.lowerBound)
    }

    /// A whole number from 0 up to, but excluding, a bound of at least 1.
    mutating func integer(below bound: Int) -> Int {
        Int(next() % UInt64(max(bound, 1)))
    }

    mutating func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { _ in UInt8(truncatingIfNeeded: next() >> 32) }
    }

    /// A UUID of version 4 (RFC 9562) in its usual text form.
    mutating func uuid() -> String {
        var bytes = bytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        var text = ""
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text += "-" }
            let digits = String(byte, radix: 16)
            text += digits.count == 1 ? "0" + digits : digits
        }
        return text
    }
}
