// SPDX-License-Identifier: MIT

import Testing
import WPGzip
import WPTestSupport

@testable import WPMetricsHTTP

struct CompressedPartsTests {
    private let compressed = CompressedParts()

    /// Parts are inserted, removed, changed and reordered; the file always has the content of the last call.
    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func decompressesToTheConcatenatedParts(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var parts: [[UInt8]] = []
        for step in 0..<100 {
            switch Int.random(in: 0..<6, using: &generator) {
            case 0...1:
                parts.insert(Array("new\(step) 1\n".utf8), at: Int.random(in: 0...parts.count, using: &generator))
            case 2 where !parts.isEmpty: parts.removeLast()
            case 3: parts.shuffle(using: &generator)
            case 4 where !parts.isEmpty: parts[0] = Array("changed\(step) 1\n".utf8)
            default: break
            }
            let file = try compressed.gzip(parts)
            #expect(try Gzip.decompress(file, limit: 1 << 20) == Array(parts.joined()))
        }
    }
}
