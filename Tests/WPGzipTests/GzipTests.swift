// SPDX-License-Identifier: MIT

import Testing
import WPGzip

@Suite struct GzipTests {
    @Test(arguments: Sample.allCases, [0, 1, 6, 9, -5, 99])
    func roundTrips(_ sample: Sample, level: Int) throws {
        let packed = try Gzip.compress(sample.bytes, level: level)
        #expect(packed.prefix(3) == [0x1F, 0x8B, 8])
        #expect(try Gzip.decompress(packed, limit: sample.bytes.count) == sample.bytes)
    }

    @Test func compressesTextWell() throws {
        let text = Sample.exposition.bytes
        #expect(try Gzip.compress(text).count < text.count / 8)
        #expect(try Gzip.compress(text) == Gzip.compress(text))
    }

    @Test func levelsRangeFromNoCompressionToTheSmallest() throws {
        let text = Sample.exposition.bytes
        let sizes = try [-5, 0, 1, 9, 99].map { try Gzip.compress(text, level: $0).count }
        #expect(sizes[1] > text.count && sizes[2] < text.count && sizes[3] < sizes[2])
        #expect(sizes[0] == sizes[1] && sizes[4] == sizes[3])
    }

    @Test func rejectsAnIncompleteFile() throws {
        let file = try Gzip.compress(Array("abc".utf8))
        #expect(try Gzip.decompress(file, limit: 3) == Array("abc".utf8))
        for count in 0..<file.count {
            let error = #expect(throws: GzipError.self) { try Gzip.decompress(Array(file.prefix(count)), limit: 3) }
            #expect(error?.code == .truncated)
        }
    }

    @Test func compressesInPieces() throws {
        let compressor = try Compressor(level: 1)
        var packed: [UInt8] = []
        for piece in Sample.exposition.pieces(of: 977) {
            try piece.withUnsafeBytes { try compressor.append($0, to: &packed) }
        }
        try compressor.finish(to: &packed)
        let length = packed.count
        try compressor.finish(to: &packed)
        #expect(packed.count == length)
        #expect(try Gzip.decompress(packed, limit: .max) == Sample.exposition.bytes)
    }

    @Test func rejectsInputAfterFinish() throws {
        let compressor = try Compressor()
        var packed: [UInt8] = []
        try compressor.finish(to: &packed)
        #expect(try Gzip.decompress(packed, limit: 0) == [])
        let error = #expect(throws: GzipError.self) {
            try [UInt8(1)].withUnsafeBytes { try compressor.append($0, to: &packed) }
        }
        #expect(error?.code == .unavailable)
        #expect(error?.message == "the compressor has already finished")
        #expect(throws: GzipError.self) {
            try compressor.append(UnsafeRawBufferPointer(start: nil, count: 0), to: &packed)
        }
    }
}

/// Data of several kinds, from empty to incompressible.
enum Sample: CaseIterable {
    case empty, one, zeros, exposition, noise

    var bytes: [UInt8] {
        switch self {
        case .empty: return []
        case .one: return [0x42]
        case .zeros: return [UInt8](repeating: 0, count: 300_000)
        case .exposition:
            return (0..<2000).flatMap { [UInt8]("winpower_device_load_percent{device=\"ups-\($0)\"} 12.5\n".utf8) }
        case .noise:
            var state: UInt64 = 0x9E37_79B9_7F4A_7C15
            return (0..<100_000).map { _ in
                state ^= state << 13
                state ^= state >> 7
                state ^= state << 17
                return UInt8(truncatingIfNeeded: state)
            }
        }
    }

    func pieces(of size: Int) -> [[UInt8]] {
        let all = bytes
        return stride(from: 0, to: all.count, by: size).map { Array(all[$0..<min($0 + size, all.count)]) }
    }
}
