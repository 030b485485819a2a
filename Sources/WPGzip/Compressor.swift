// SPDX-License-Identifier: MIT

import CZlib

/// Compresses a stream piece by piece into one gzip member (RFC 1952). It holds about 270 KB while it lives.
///
/// One task or thread uses it at a time.
package final class Compressor {
    private let stream: UnsafeMutablePointer<z_stream>
    private let scratch: UnsafeMutableBufferPointer<UInt8>
    private var isFinished = false

    /// What the result is.
    enum Format {
        /// A gzip member.
        case gzip
        /// Deflate blocks without head and end.
        case rawDeflate

        /// What zlib takes for it (zlib.h, deflateInit2).
        fileprivate func windowBits(_ bits: Int32) -> Int32 { self == .gzip ? bits + gzipFlag : -bits }
    }

    /// Creates a compressor.
    /// - Parameter level: from 1, the fastest, to 9, the smallest; 0 stores. Other values count as the nearest of these.
    /// - Throws: ``GzipError`` with ``GzipError/Code/unavailable`` when there is no memory.
    package convenience init(level: Int = 6) throws(GzipError) {
        try self.init(level: level, format: .gzip)
    }

    /// - Parameter inputCount: how many bytes there are to compress at most, if that is known. For few of them much less
    ///   memory has to be allocated and cleared, which takes longer than compressing them.
    init(level: Int, format: Format, inputCount: Int? = nil) throws(GzipError) {
        // The window need not be larger than what there is to look back at; zlib takes 2^9 to 2^15.
        var bits = MAX_WBITS
        if let inputCount { while bits > 9, 1 << (bits - 1) >= inputCount { bits -= 1 } }
        // zlib keeps a pointer back to its z_stream, which must therefore never move.
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        scratch = .allocate(capacity: min(scratchSize, inputCount.map { $0 + 512 } ?? scratchSize))
        let status = deflateInit2_(
            stream,
            Int32(min(max(level, 0), 9)),
            Z_DEFLATED,
            format.windowBits(bits),
            // So the table of hashes, which is cleared first, is smaller too: 2^(level + 7) entries.
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
        // Harmless when initialization failed: the state pointer is still null then.
        deflateEnd(stream)
        stream.deallocate()
        scratch.deallocate()
    }

    /// Compresses more bytes, and appends what is ready of the result.
    /// - Throws: ``GzipError`` with ``GzipError/Code/unavailable`` after ``finish(to:)``.
    package func append(_ input: UnsafeRawBufferPointer, to output: inout [UInt8]) throws(GzipError) {
        guard !isFinished else {
            throw GzipError(code: .unavailable, message: "bytes were given to a compressor that had finished")
        }
        var rest = input
        while !rest.isEmpty {
            let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(largestPiece))
            rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count))
            try run(piece, flush: Z_NO_FLUSH, output: &output)
        }
    }

    /// Appends the rest of the result so far, so that it ends on a byte.
    func flush(to output: inout [UInt8]) throws(GzipError) {
        try run(UnsafeRawBufferPointer(start: nil, count: 0), flush: Z_SYNC_FLUSH, output: &output)
    }

    /// Ends the stream and appends the rest of the result. A second call does nothing.
    /// - Throws: ``GzipError`` with ``GzipError/Code/unavailable`` when zlib is in disorder.
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
