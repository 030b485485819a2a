// SPDX-License-Identifier: MIT

import CZlib

/// A separately compressed part of a gzip file that can be joined with others into a single member (RFC 1952). This
/// way, content that does not change is compressed only once.
///
/// Concatenating members would be simpler, but some browsers and tools read only the first member.
package struct GzipPiece: Sendable {
    /// Deflate blocks (RFC 1951) that end at a byte boundary and do not refer to earlier data. None is marked as the
    /// final block.
    private let blocks: [UInt8]
    private let checksum: UInt
    private let count: Int

    /// The size of the piece in a file, in bytes.
    package var compressedCount: Int { blocks.count }

    /// Compresses bytes.
    /// - Parameters:
    ///   - bytes: the input; may be empty.
    ///   - level: from 1, the fastest, to 9, the smallest; 0 does not compress. Other values are clamped.
    /// - Throws: ``GzipError`` with ``GzipError/Code/unavailable`` if memory allocation fails.
    package init(compressing bytes: [UInt8], level: Int = 6) throws(GzipError) {
        count = bytes.count
        let compressor = try Compressor(level: level, format: .rawDeflate, inputCount: bytes.count)
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count / 8 + 64)
        checksum = try bytes.withUnsafeBufferPointer { (buffer) throws(GzipError) in
            let bytes = UnsafeRawBufferPointer(buffer)
            try compressor.append(bytes, to: &output)
            try compressor.flush(to: &output)
            var sum = crc32(0, nil, 0)
            var rest = bytes
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest.prefix(largestPiece))
                rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(part.count))
                sum = crc32(sum, part.bindMemory(to: UInt8.self).baseAddress, UInt32(part.count))
            }
            return UInt(sum)
        }
        blocks = output
    }

    private static func checksum(of pieces: some Sequence<GzipPiece>) -> uLong {
        pieces.reduce(crc32(0, nil, 0)) { crc32_combine($0, uLong($1.checksum), .init($1.count)) }
    }

    /// Joins pieces, in order, into a gzip file. The file is slightly larger than if all bytes were compressed at once.
    package static func join(_ pieces: [GzipPiece]) -> [UInt8] {
        var file: [UInt8] = []
        file.reserveCapacity(pieces.reduce(20) { $0 + $1.blocks.count })
        // Magic number, deflate, no flags, no timestamp, no extra flags, Unix.
        file += [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
        let checksum = checksum(of: pieces)
        var count: UInt32 = 0
        for piece in pieces {
            file += piece.blocks
            count &+= UInt32(truncatingIfNeeded: piece.count)
        }
        // An empty final block with fixed codes, which completes the deflate stream.
        file += [0x03, 0x00]
        for number in [UInt32(truncatingIfNeeded: checksum), count] {
            for shift: UInt32 in [0, 8, 16, 24] { file.append(UInt8(truncatingIfNeeded: number >> shift)) }
        }
        return file
    }
}
