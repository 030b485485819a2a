// SPDX-License-Identifier: MIT

import CZlib

/// A part of a gzip file, compressed separately, that can be joined with others into one ordinary file of a single member
/// (RFC 1952). So content that does not change is compressed once, however often it is sent together with content that does.
///
/// Files of several members could simply be concatenated, but some browsers and tools read only the first member.
package struct GzipPiece: Sendable {
    /// Deflate blocks (RFC 1951) that end on a byte and refer to nothing before them. None of them is the last one.
    private let blocks: [UInt8]
    private let checksum: UInt
    private let count: Int

    /// How many bytes the piece takes in a file.
    package var compressedCount: Int { blocks.count }

    /// Compresses bytes.
    /// - Parameters:
    ///   - bytes: what to compress; may be empty.
    ///   - level: from 1, the fastest, to 9, the smallest; 0 stores. Other values count as the nearest of these.
    /// - Throws: ``GzipError`` with ``GzipError/Code/unavailable`` when there is no memory.
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

    /// The gzip file of these pieces in order: what compressing all of their bytes at once gives, but for some bytes.
    package static func join(_ pieces: [GzipPiece]) -> [UInt8] {
        var file: [UInt8] = []
        file.reserveCapacity(pieces.reduce(20) { $0 + $1.blocks.count })
        // Magic number, deflate, no flags, no time, no hint, Unix.
        file += [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]
        let checksum = checksum(of: pieces)
        var count: UInt32 = 0
        for piece in pieces {
            file += piece.blocks
            count &+= UInt32(truncatingIfNeeded: piece.count)
        }
        // A last block with nothing in it, by the fixed code: all that is missing of a deflate stream.
        file += [0x03, 0x00]
        for number in [UInt32(truncatingIfNeeded: checksum), count] {
            for shift: UInt32 in [0, 8, 16, 24] { file.append(UInt8(truncatingIfNeeded: number >> shift)) }
        }
        return file
    }
}
