// SPDX-License-Identifier: MIT

/// The cost of a yescrypt hash from its parameters: the part between `$y$` and the salt, such as `j9T`.
///
/// The parameters are numbers in a variable-length encoding (yescrypt-common.c, `decode64_uint32`): flavour, log2 of
/// the number of blocks (N), block size (r), and optionally flags with parallelism (p) and time (t).
struct YescryptCost {
    /// The memory in bytes.
    let memoryBytes: UInt64
    /// The number of passes over the memory.
    let passes: UInt64

    /// The total memory traffic in bytes.
    var workBytes: UInt64 {
        let (work, isTooLarge) = memoryBytes.multipliedReportingOverflow(by: passes)
        return isTooLarge ? .max : work
    }

    /// Parses parameters.
    /// - Returns: nil if they are invalid or unsupported by libcrypt, such as those with a ROM or of an upgraded hash.
    init?(_ parameters: Substring) {
        var rest = parameters.utf8[...]
        guard Self.number(&rest, from: 0) != nil, let logarithm = Self.number(&rest, from: 1),
            let blockSize = Self.number(&rest, from: 1), logarithm < 64, blockSize <= 1 << 20
        else { return nil }
        var parallelism: UInt64 = 1
        var time: UInt64 = 0
        if !rest.isEmpty {
            guard let flags = Self.number(&rest, from: 1), flags <= 3 else { return nil }
            if flags & 1 != 0 {
                guard let number = Self.number(&rest, from: 2) else { return nil }
                parallelism = number
            }
            if flags & 2 != 0 {
                guard let number = Self.number(&rest, from: 1) else { return nil }
                time = number
            }
        }
        guard rest.isEmpty else { return nil }
        let (memory, isTooLarge) = (128 * blockSize).multipliedReportingOverflow(by: 1 << logarithm)
        memoryBytes = isTooLarge ? .max : memory
        passes = parallelism * (1 + time)
    }

    /// Decodes one number from the start, and adds the minimum.
    private static func number(_ text: inout Substring.UTF8View.SubSequence, from minimum: UInt64) -> UInt64? {
        guard let first = digit(&text) else { return nil }
        var result = minimum
        var start: UInt64 = 0
        var end: UInt64 = 47
        var bits: UInt64 = 0
        while first > end {
            result += (end + 1 - start) << bits
            start = end + 1
            end = start + (62 - end) / 2
            bits += 6
        }
        result += (first - start) << bits
        while bits > 0 {
            guard let next = digit(&text) else { return nil }
            bits -= 6
            result += next << bits
        }
        return result
    }

    /// A digit of crypt(5)'s base 64: `./0-9A-Za-z`.
    private static func digit(_ text: inout Substring.UTF8View.SubSequence) -> UInt64? {
        guard let byte = text.popFirst() else { return nil }
        switch byte {
        case UInt8(ascii: "."), UInt8(ascii: "/"): return UInt64(byte - UInt8(ascii: "."))
        case UInt8(ascii: "0")...UInt8(ascii: "9"): return UInt64(byte - UInt8(ascii: "0")) + 2
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): return UInt64(byte - UInt8(ascii: "A")) + 12
        case UInt8(ascii: "a")...UInt8(ascii: "z"): return UInt64(byte - UInt8(ascii: "a")) + 38
        default: return nil
        }
    }
}
