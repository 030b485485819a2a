// SPDX-License-Identifier: MIT

import CZlib

/// Compresses a stream incrementally into one gzip member (RFC 1952). Uses about 270 KB of memory.
/// Not for concurrent use.
package final class Compressor {
    private let stream: UnsafeMutablePointer<z_stream>
    private let scratch: UnsafeMutableBufferPointer<UInt8>
    private var isFinished = false

    /// The output format.
    enum Format {
        /// A gzip member.
        case gzip
        /// Deflate blocks without header and trailer.
        case rawDeflate

        /// The `windowBits` argument (zlib.h, deflateInit2).
        fileprivate func windowBits(_ bits: Int32) -> Int32 { self == .gzip ? bits + gzipFlag : -bits }
    }

    /// Creates a compressor.
    /// - Parameter level: from 1, the fastest, to 9, the smallest; 0 does not compress. Other values are clamped.
    /// - Throws: ``GzipError`` with ``GzipError/Code/unavailable`` if memory allocation fails.
    package convenience init(level: Int = 6) throws(GzipError) {
        try self.init(level: level, format: .gzip)
    }

    /// - Parameter inputCount: the maximum number of bytes to compress, if known. A small input needs much less memory,
    ///   and allocating the full amount would take longer than compressing.
    init(level: Int, format: Format, inputCount: Int? = nil) throws(GzipError) {
        // The window need not exceed the input; zlib accepts 2^9 to 2^15.
        var bits = MAX_WBITS
        if let inputCount { while bits > 9, 1 << (bits - 1) >= inputCount { bits -= 1 } }
        // zlib keeps a pointer to its z_stream, which must therefore never move.
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        scratch = .allocate(capacity: min(scratchSize, inputCount.map { $0 + 512 } ?? scratchSize))
        let status = deflateInit2_(
            stream,
            Int32(min(max(level, 0), 9)),
            Z_DEFLATED,
            format.windowBits(bits),
            // A lower memory level also shrinks the hash table of 2^(level + 7) entries, which zlib clears first.
            max(1, defaultMemoryLevel - (MAX_WBITS - bits)),
            Z_DEFAULT_STRATEGY,
            ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)
        )
        guard status == Z_OK else {
            throw GzipError(code: .unavailable, message: "zlib could not start compressing (status \(status))")
        }
    }

    deinit {
        // Harmless after a failed initialization: the state pointer is null.
        deflateEnd(stream)
        stream.deallocate()
        scratch.deallocate()
    }

    /// Compresses more bytes, and appends the output available so far.
    /// - Throws: ``GzipError`` with ``GzipError/Code/unavailable`` after ``finish(to:)``.
    package func append(_ input: UnsafeRawBufferPointer, to output: inout [UInt8]) throws(GzipError) {
        guard !isFinished else {
            throw GzipError(code: .unavailable, message: "the compressor has already finished")
        }
        var rest = input
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(largestPiece))
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count))
            try run(piece, flush: Z_NO_FLUSH, output: &output)
        }
    }

    /// Flushes the output to a byte boundary.
    func flush(to output: inout [UInt8]) throws(GzipError) {
        try run(UnsafeRawBufferPointer(start: nil, count: 0), flush: Z_SYNC_FLUSH, output: &output)
    }

    /// Ends the stream and appends the rest of the output. A second call does nothing.
    /// - Throws: ``GzipError`` with ``GzipError/Code/unavailable`` if zlib reports an error.
    package func finish(to output: inout [UInt8]) throws(GzipError) {
        guard !isFinished else { return }
        isFinished = true
        try run(UnsafeRawBufferPointer(start: nil, count: 0), flush: Z_FINISH, output: &output)
    }

    private func run(
        _ input: UnsafeRawBufferPointer,
        flush: Int32,
        output: inout [UInt8]
    ) throws(GzipError) {
        stream.pointee.point(at: input)
        defer { stream.pointee.next_in = nil }
        repeat {
            stream.pointee.next_out = scratch.baseAddress
            stream.pointee.avail_out = UInt32(scratch.count)
            let status = deflate(stream, flush)
            guard status == Z_OK || status == Z_STREAM_END || status == Z_BUF_ERROR else {
                throw GzipError(code: .unavailable, message: "zlib could not compress (status \(status))")
            }
            output.append(contentsOf: scratch.prefix(scratch.count - Int(stream.pointee.avail_out)))
        } while stream.pointee.avail_out == 0
    }
}
