// SPDX-License-Identifier: MIT

import Testing
import WPGzip

/// Separately compressed pieces form one ordinary file.
struct GzipPieceTests {
    private static func noise(_ count: Int) -> [UInt8] {
        var state: UInt32 = 1
        return (0..<count).map { _ in
            state = state &* 1_664_525 &+ 1_013_904_223
            return UInt8(truncatingIfNeeded: state >> 24)
        }
    }

    @Test(
        arguments: [
            [], [[]], [[], [], []], [[1]], [Array("one".utf8), Array("two".utf8)],
            [Array(repeating: 7, count: 100_000), [], noise(70_000), Array(repeating: 7, count: 3)],
        ] as [[[UInt8]]]
    )
    func joinedPiecesAreOneFile(_ parts: [[UInt8]]) throws {
        let pieces = try parts.map { try GzipPiece(compressing: $0) }
        let file = GzipPiece.join(pieces)
        #expect(try Gzip.decompress(file, limit: 1 << 20) == parts.flatMap { $0 })
        #expect(file.count == pieces.reduce(20) { $0 + $1.compressedCount })
    }

    /// A reader that stops after the first member reads everything.
    @Test func containsOneMember() throws {
        let parts = [Array("one".utf8), Array("two".utf8)]
        let file = GzipPiece.join(try parts.map { try GzipPiece(compressing: $0) })
        let inflater = try Inflater(format: .gzip, limit: 1000)
        var output: [UInt8] = []
        try file.withUnsafeBufferPointer { try inflater.inflate(UnsafeRawBufferPointer($0), into: &output) }
        try inflater.finish()
        #expect(output == Array("onetwo".utf8))
        let heads = zip(file, zip(file.dropFirst(), file.dropFirst(2))).filter {
            $0 == 0x1F && $1.0 == 0x8B && $1.1 == 8
        }
        #expect(heads.count == 1)
    }

    /// RFC 1952: deflate, no flags, no time, no compression level, and Unix.
    @Test func theHeaderHasNoTime() throws {
        let file = GzipPiece.join([try GzipPiece(compressing: [1])])
        #expect(file.prefix(10) == [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3])
    }

    @Test func joinsAPieceRepeatedly() throws {
        let kept = try GzipPiece(compressing: Array(repeating: UInt8(ascii: "k"), count: 5000))
        for text in ["a", "", "b"] {
            let file = GzipPiece.join([try GzipPiece(compressing: Array(text.utf8)), kept])
            #expect(try Gzip.decompress(file, limit: 10_000).count == text.utf8.count + 5000)
        }
        #expect(kept.compressedCount < 100)
    }

    /// Around the sizes at which less memory is used.
    @Test(arguments: (8...16).flatMap { [(1 << $0) - 1, 1 << $0, (1 << $0) + 1] })
    func everySizeRoundTrips(_ count: Int) throws {
        let lines = Array(
            (0..<count / 16 + 1).map { "metric_total{i=\"\($0)\"} \($0 * 7919)\n" }.joined().utf8.prefix(count)
        )
        // Repeats only at a distance.
        let third = Self.noise(count / 3)
        for bytes in [lines, Self.noise(count), third + third + third] {
            let piece = try GzipPiece(compressing: bytes)
            #expect(try Gzip.decompress(GzipPiece.join([piece]), limit: count) == bytes)
            // No larger than with the maximum memory, except for the end of each piece.
            #expect(Double(piece.compressedCount) <= Double(try Gzip.compress(bytes).count) * 1.05 + 20)
        }
    }

    @Test(arguments: [-1, 0, 1, 6, 9, 10])
    func acceptsEveryLevel(_ level: Int) throws {
        let bytes = Self.noise(1000)
        let file = GzipPiece.join([try GzipPiece(compressing: bytes, level: level)])
        #expect(try Gzip.decompress(file, limit: 1000) == bytes)
    }

    /// Some bits between blocks are unused. Flipping any other bit is an error, so no wrong data is returned.
    @Test func detectsDamage() throws {
        let bytes = Self.noise(1000)
        let file = GzipPiece.join([try GzipPiece(compressing: bytes), try GzipPiece(compressing: [1, 2, 3])])
        var silent = 0
        for position in file.indices.dropFirst(10) {
            var damaged = file
            damaged[position] ^= 0x10
            guard let output = try? Gzip.decompress(damaged, limit: 4000) else { continue }
            try #require(output == bytes + [1, 2, 3])
            silent += 1
        }
        #expect(silent < 10)
    }
}
