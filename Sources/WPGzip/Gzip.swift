// SPDX-License-Identifier: MIT

/// Compresses and decompresses whole byte arrays in the gzip format (RFC 1952).
package enum Gzip {
    /// Compresses bytes into one gzip member. The result is deterministic: the header has no timestamp.
    /// - Parameters:
    ///   - bytes: the input; may be empty.
    ///   - level: from 1, the fastest, to 9, the smallest; 0 does not compress. Other values are clamped.
    /// - Throws: ``GzipError`` with ``GzipError/Code/unavailable`` if memory allocation fails.
    package static func compress(_ bytes: [UInt8], level: Int = 6) throws(GzipError) -> [UInt8] {
        let compressor = try Compressor(level: level)
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count / 8 + 64)
        try bytes.withUnsafeBufferPointer { (buffer) throws(GzipError) in
            try compressor.append(UnsafeRawBufferPointer(buffer), to: &output)
        }
        try compressor.finish(to: &output)
        return output
    }

    /// Decompresses a gzip file and concatenates its members.
    /// - Parameters:
    ///   - bytes: all bytes of the file.
    ///   - limit: the maximum size of the output in bytes.
    /// - Throws: ``GzipError`` if the bytes are damaged, incomplete, or expand beyond `limit`.
    package static func decompress(_ bytes: [UInt8], limit: Int) throws(GzipError) -> [UInt8] {
        let inflater = try Inflater(format: .gzip, limit: limit)
        var output: [UInt8] = []
        try bytes.withUnsafeBufferPointer { (buffer) throws(GzipError) in
            try inflater.inflate(UnsafeRawBufferPointer(buffer), into: &output)
        }
        try inflater.finish()
        return output
    }
}
