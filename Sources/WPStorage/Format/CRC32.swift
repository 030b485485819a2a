// SPDX-License-Identifier: MIT

import CZlib

/// The CRC-32 of zip, gzip and PNG (ISO 3309), as zlib computes it.
enum CRC32 {
    /// The checksum as eight hexadecimal digits in lower case.
    static func hex(_ bytes: ArraySlice<UInt8>) -> String {
        let sum = bytes.withUnsafeBytes { buffer in
            crc32_z(0, buffer.baseAddress?.assumingMemoryBound(to: UInt8.self), buffer.count)
        }
        let digits = String(sum, radix: 16)
        return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    }
}
