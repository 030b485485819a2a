// SPDX-License-Identifier: MIT

import CZlib

/// Decompresses a stream incrementally, up to a maximum output size. Not for concurrent use. After it has thrown, every
/// further call throws the same error.
package final class Inflater {
    /// The format of the compressed bytes.
    package enum Format: Sendable, Hashable {
        /// The gzip format (RFC 1952); several members form one stream (section 2.2).
        case gzip
        /// The zlib format (RFC 1950).
        case zlib
        /// gzip, zlib or raw deflate (RFC 1951), detected from the first two bytes. HTTP's `deflate` is zlib (RFC 9110,
        /// section 8.4.1.2), but some servers send raw deflate.
        case automatic
    }

    private enum State {
        /// At most one byte has been received.
        case detecting(UInt8?)
        case inflating
        case ended
        case failed(GzipError)
    }

    private let stream: UnsafeMutablePointer<z_stream>
    private let scratch: UnsafeMutableBufferPointer<UInt8>
    private let limit: Int
    private var total = 0
    private var allowsMoreMembers = false
    private var state: State

    /// Creates an inflater.
    /// - Parameters:
    ///   - format: the format of the compressed bytes.
    ///   - limit: the maximum total size of the output in bytes; negative values are treated as 0.
    /// - Throws: ``GzipError`` with ``GzipError/Code/unavailable`` if memory allocation fails.
    package init(format: Format = .automatic, limit: Int) throws(GzipError) {
        // zlib keeps a pointer to its z_stream, which must therefore never move.
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        scratch = .allocate(capacity: scratchSize)
        self.limit = max(limit, 0)
        state = .detecting(nil)
        switch format {
        case .gzip: try start(.gzip)
        case .zlib: try start(.zlib)
        case .automatic: break
        }
    }

    deinit {
        // Harmless before the first use: the state pointer is null.
        inflateEnd(stream)
        stream.deallocate()
        scratch.deallocate()
    }

    /// Whether the stream is complete. More gzip input makes it false again, because it begins another member.
    package var isFinished: Bool {
        if case .ended = state { true } else { false }
    }

    /// Decompresses more bytes and appends the result.
    /// - Parameters:
    ///   - input: the next bytes of the stream.
    ///   - output: the array to which the output is appended, including the output before an error.
    /// - Throws: ``GzipError``: ``GzipError/Code/corrupt``, or ``GzipError/Code/tooLarge`` if the output would exceed
    ///   the limit.
    package func inflate(_ input: UnsafeRawBufferPointer, into output: inout [UInt8]) throws(GzipError) {
        do {
            var rest = input
            if case .detecting(let first) = state {
                var head = rest.makeIterator()
                guard let one = first ?? head.next() else { return }
                guard let two = head.next() else {
                    state = .detecting(one)
                    return
                }
                try start(Wrapping(one, two))
                if first != nil {
                    let held = [one]
                    try held.withUnsafeBufferPointer { (buffer) throws(GzipError) in
                        try run(UnsafeRawBufferPointer(buffer), into: &output)
                    }
                }
            }
            while !rest.isEmpty {
                let piece = UnsafeRawBufferPointer(rebasing: rest.prefix(largestPiece))
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(piece.count))
                try run(piece, into: &output)
            }
        } catch {
            state = .failed(error)
            throw error
        }
    }

    /// Checks that the stream is complete. Call it at the end of the input.
    /// - Throws: ``GzipError`` with ``GzipError/Code/truncated`` if the stream is incomplete or empty, or the error
    ///   that ``inflate(_:into:)`` has thrown.
    package func finish() throws(GzipError) {
        switch state {
        case .ended: return
        case .failed(let error): throw error
        case .detecting, .inflating:
            throw GzipError(
                code: .truncated,
                message: "the compressed data ends too early, after \(total) decompressed bytes"
            )
        }
    }

    private enum Wrapping {
        case gzip, zlib, raw

        init(_ first: UInt8, _ second: UInt8) {
            let both = UInt16(first) << 8 | UInt16(second)
            if both == 0x1F8B {
                self = .gzip
            } else if first & 0x0F == 8, both % 31 == 0 {
                self = .zlib
            } else {
                self = .raw
            }
        }

        var windowBits: Int32 {
            switch self {
            case .gzip: MAX_WBITS + gzipFlag
            case .zlib: MAX_WBITS
            case .raw: -MAX_WBITS
            }
        }
    }

    private func start(_ wrapping: Wrapping) throws(GzipError) {
        let status = inflateInit2_(
            stream,
            wrapping.windowBits,
            ZLIB_VERSION,
            Int32(MemoryLayout<z_stream>.size)
        )
        guard status == Z_OK else {
            throw GzipError(code: .unavailable, message: "zlib could not start decompressing (status \(status))")
        }
        allowsMoreMembers = wrapping == .gzip
        state = .inflating
    }

    private func run(_ input: UnsafeRawBufferPointer, into output: inout [UInt8]) throws(GzipError) {
        switch state {
        case .failed(let error): throw error
        case .ended: try restart()
        case .detecting, .inflating: break
        }
        stream.pointee.point(at: input)
        defer { stream.pointee.next_in = nil }
        while true {
            // One byte beyond the limit distinguishes "at the limit" from "over the limit".
            let room = min(scratch.count - 1, limit - total) + 1
            stream.pointee.next_out = scratch.baseAddress
            stream.pointee.avail_out = UInt32(room)
            let status = CZlib.inflate(stream, Z_NO_FLUSH)
            let produced = room - Int(stream.pointee.avail_out)
            let kept = min(produced, limit - total)
            output.reserve(output.count + kept, within: output.count - total + limit)
            guard produced <= limit - total else {
                output.append(contentsOf: scratch.prefix(limit - total))
                total = limit
                throw GzipError(code: .tooLarge, message: "the data decompresses to more than \(limit) bytes")
            }
            output.append(contentsOf: scratch.prefix(produced))
            total += produced

            switch status {
            case Z_STREAM_END:
                state = .ended
                guard stream.pointee.avail_in > 0 else { return }
                try restart()
            case Z_OK where stream.pointee.avail_in > 0 || stream.pointee.avail_out == 0:
                continue
            case Z_OK, Z_BUF_ERROR:
                return
            case Z_MEM_ERROR:
                throw GzipError(code: .unavailable, message: "zlib has no memory to decompress")
            default:
                let reason = stream.pointee.msg.map { String(cString: $0) } ?? "status \(status)"
                throw GzipError(code: .corrupt, message: "the compressed data is damaged: \(reason)")
            }
        }
    }

    /// Continues after the end of a stream with the next gzip member, or fails.
    private func restart() throws(GzipError) {
        guard allowsMoreMembers, inflateReset(stream) == Z_OK else {
            throw GzipError(code: .corrupt, message: "there are bytes after the end of the compressed data")
        }
        state = .inflating
    }
}
