// SPDX-License-Identifier: MIT

import Testing
import WPGzip

@testable import WPMetrics
@testable import WPMetricsHTTP

/// Whatever changes between two expositions, the file has the content of the second.
@Suite("Compressed segments of an exposition")
struct CompressedSegmentsTests {
    private let compressed = CompressedSegments()
    private let syntax = ExpositionFormat.Syntax.text

    private func segment(_ text: String) -> ExpositionSegment {
        ExpositionSegment(Array("\(text)_total{} 1\n".utf8))
    }

    private func content(_ segments: [ExpositionSegment]) throws -> String {
        let file = try compressed.gzip(segments, syntax)
        return String(decoding: try Gzip.decompress(file, limit: 1 << 20), as: UTF8.self)
    }

    private func expected(_ segments: [ExpositionSegment]) -> String {
        String(decoding: segments.joined(), as: UTF8.self)
    }

    @Test func everyChangeIsInTheFile() throws {
        var segments: [ExpositionSegment] = []
        var longest = 0
        var state: UInt32 = 7
        func random(below bound: Int) -> Int {
            state = state &* 1_664_525 &+ 1_013_904_223
            return Int(state >> 16) % bound
        }
        for step in 0..<500 {
            switch random(below: 10) {
            case 0...1 where segments.count < 12:
                segments.insert(segment("new\(step)"), at: random(below: segments.count + 1))
            case 2 where !segments.isEmpty: segments.remove(at: random(below: segments.count))
            case 3: segments.reverse()
            case 4: break
            default:
                // Mostly at the first two places, as the numbers of requests do.
                for place in segments.indices where place < 2 || random(below: 20) == 0 {
                    segments[place] = segment("step\(step)_\(place)")
                }
            }
            longest = max(longest, segments.count)
            #expect(try content(segments) == expected(segments), "step \(step)")
        }
        #expect(longest == 12)
    }

    @Test func onlyWhatChangedCountsAsWork() throws {
        var segments = (0..<5).map { segment("family\($0)") }
        func quick(_ limit: Int) throws -> Bool {
            try compressed.gzip(segments, syntax, compressingAtMost: limit) != nil
        }
        #expect(try !quick(segments.joined().count - 1))
        #expect(try quick(segments.joined().count))
        #expect(try quick(0))
        // The first change at a place and a later one.
        for round in 0..<2 {
            segments[3] = segment("round\(round)")
            #expect(try !quick(segments[3].bytes.count - 1))
            #expect(try quick(segments[3].bytes.count))
        }
        // Another order, and fewer, need no compressing.
        segments.swapAt(0, 4)
        #expect(try quick(0))
        segments.removeFirst()
        #expect(try quick(0))
        #expect(try content(segments) == expected(segments))
    }
}
