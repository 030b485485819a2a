// SPDX-License-Identifier: MIT

import CZlib

/// Selects the gzip format when added to the window size (zlib.h, deflateInit2).
let gzipFlag: Int32 = 16

/// The default memory level of zlib's `deflateInit`.
let defaultMemoryLevel: Int32 = 8

/// The size of the output buffer in bytes.
let scratchSize = 32 * 1024

/// The maximum input of one zlib call in bytes; zlib counts in 32 bits, so larger inputs are split.
let largestPiece = 1 << 30

extension z_stream {
    /// Makes this the next input. The bytes must outlive the calls that read them.
    mutating func point(at input: UnsafeRawBufferPointer) {
        // zlib.h does not declare the pointer const, but zlib only reads the input.
        next_in = UnsafeMutablePointer(mutating: input.bindMemory(to: UInt8.self).baseAddress)
        avail_in = UInt32(input.count)
    }
}
