// SPDX-License-Identifier: MIT

import Testing
import WPGzip

@Suite struct InflaterTests {
    /// "hello, world\n" twice, wrapped in the three formats by another implementation (Python's zlib).
    private static let hello = [UInt8]("hello, world\nhello, world\n".utf8)
    private static let raw: [UInt8] = [
        0xCB, 0x48, 0xCD, 0xC9, 0xC9, 0xD7, 0x51, 0x28, 0xCF, 0x2F, 0xCA, 0x49, 0xE1, 0xCA, 0x40, 0xE6, 0x00, 0x00,
    ]
    private static let zlib: [UInt8] = [0x78, 0x9C] + raw + [0x7F, 0x38, 0x09, 0x25]
    private static let gzip: [UInt8] =
        [0x1F, 0x8B, 0x08, 0, 0, 0, 0, 0, 0x02, 0x03] + raw + [0xD1, 0x45, 0xCA, 0x48, 26, 0, 0, 0]

    private static let foreign: [(Inflater.Format, [UInt8])] = [
        (.gzip, gzip), (.automatic, gzip), (.zlib, zlib), (.automatic, zlib), (.automatic, raw),
    ]

    private func inflate(
        _ input: [UInt8],
        _ format: Inflater.Format,
        limit: Int = 1 << 20,
        pieces: Int = .max
    ) throws(GzipError) -> [UInt8] {
        let inflater = try Inflater(format: format, limit: limit)
        var output: [UInt8] = []
        var rest = input[...]
        while !rest.isEmpty {
            let piece = Array(rest.prefix(pieces))
            rest = rest.dropFirst(piece.count)
            try piece.withUnsafeBufferPointer { (buffer) throws(GzipError) in
                try inflater.inflate(UnsafeRawBufferPointer(buffer), into: &output)
            }
        }
        try inflater.finish()
        #expect(inflater.isFinished)
        return output
    }

    private func failure(
        _ input: [UInt8],
        _ format: Inflater.Format,
        limit: Int = 1 << 20,
        pieces: Int = .max
    ) -> GzipError.Code? {
        do {
            _ = try inflate(input, format, limit: limit, pieces: pieces)
            return nil
        } catch {
            return error.code
        }
    }

    @Test(arguments: foreign, [1, 2, 3, 7, 1000])
    func decompressesOutputOfOtherTools(_ foreign: (Inflater.Format, [UInt8]), pieces: Int) throws {
        #expect(try inflate(foreign.1, foreign.0, pieces: pieces) == Self.hello)
    }

    @Test(arguments: foreign)
    func detectsEveryTruncation(_ format: Inflater.Format, _ whole: [UInt8]) {
        for length in 0..<whole.count {
            #expect(failure(Array(whole.prefix(length)), format) == .truncated, "cut at \(length)")
        }
    }

    @Test(arguments: foreign)
    func detectsTrailingBytes(_ format: Inflater.Format, _ whole: [UInt8]) {
        #expect(failure(whole + [0x20, 0x20], format) == .corrupt)
        #expect(failure(whole + [0x20, 0x20], format, pieces: whole.count) == .corrupt)
    }

    @Test func detectsEveryFlippedBit() {
        for index in 10..<Self.gzip.count {
            for bit in 0..<8 {
                var bad = Self.gzip
                bad[index] ^= 1 << UInt8(bit)
                // The last bits of the body are padding.
                let output = try? inflate(bad, .gzip)
                #expect(output == nil || output == Self.hello, "bit \(bit) of byte \(index)")
            }
        }
    }

    @Test(arguments: [
        (Inflater.Format.gzip, [UInt8]("<html>".utf8)), (.gzip, zlib), (.zlib, gzip), (.zlib, raw),
        (.automatic, [0xFF, 0xFF]), (.automatic, [0x1F, 0x00]), (.zlib, [0x78, 0xBB, 0, 0, 0, 0]),
    ])
    func rejectsAnInvalidStream(_ format: Inflater.Format, _ bytes: [UInt8]) {
        #expect(failure(bytes, format) == .corrupt)
        #expect(failure(bytes, format, pieces: 1) == .corrupt)
    }

    @Test(arguments: [1, 5, 29, 1000])
    func concatenatesMembers(pieces: Int) throws {
        let empty = try Gzip.compress([])
        let bytes = empty + Self.gzip + empty + (try Gzip.compress([1, 2, 3])) + empty
        #expect(try inflate(bytes, .gzip, pieces: pieces) == Self.hello + [1, 2, 3])
    }

    @Test func isIncompleteWithinTheSecondMember() throws {
        let inflater = try Inflater(format: .gzip, limit: 100)
        var output: [UInt8] = []
        try Self.gzip.withUnsafeBytes { try inflater.inflate($0, into: &output) }
        #expect(inflater.isFinished)
        try Self.gzip.prefix(4).withUnsafeBytes { try inflater.inflate($0, into: &output) }
        #expect(!inflater.isFinished)
        #expect(throws: GzipError.self) { try inflater.finish() }
    }

    @Test(arguments: [0, 1, 25, 26, 27])
    func enforcesTheLimit(limit: Int) {
        let expected: GzipError.Code? = limit < Self.hello.count ? .tooLarge : nil
        #expect(failure(Self.gzip, .gzip, limit: limit) == expected)
        #expect(failure(Self.gzip, .gzip, limit: limit, pieces: 1) == expected)
        #expect(failure(Self.gzip + Self.gzip, .gzip, limit: 26 + limit) == expected)
    }

    @Test func treatsANegativeLimitAsZero() throws {
        #expect(failure(Self.gzip, .gzip, limit: -1) == .tooLarge)
        #expect(failure(try Gzip.compress([]), .gzip, limit: .min) == nil)
    }

    @Test func stopsABombAtTheLimit() throws {
        let compressor = try Compressor(level: 9)
        var bomb: [UInt8] = []
        let zeros = [UInt8](repeating: 0, count: 1 << 20)
        for _ in 0..<64 {
            try zeros.withUnsafeBytes { try compressor.append($0, to: &bomb) }
        }
        try compressor.finish(to: &bomb)
        #expect(bomb.count < 100_000)

        let inflater = try Inflater(limit: 140_000)
        var output: [UInt8] = []
        let first = #expect(throws: GzipError.self) {
            try bomb.withUnsafeBytes { try inflater.inflate($0, into: &output) }
        }
        #expect(first?.code == .tooLarge)
        #expect(output.count == 140_000)
        // Doubling would exceed it.
        #expect(output.capacity < 200_000)

        let second = #expect(throws: GzipError.self) {
            try bomb.withUnsafeBytes { try inflater.inflate($0, into: &output) }
        }
        #expect(second == first)
        #expect(throws: GzipError.self) { try inflater.finish() }
        #expect(!inflater.isFinished)
    }
}
