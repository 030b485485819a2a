// SPDX-License-Identifier: MIT

import Testing

@testable import WPHubClient

/// The reports buffered during an outage.
struct OutageBufferTests {
    private func fill(_ buffer: inout OutageBuffer, _ count: Int) -> Int {
        (0..<count).reduce(0) { $0 + buffer.append([UInt8($1 % 256)], at: Double($1)) }
    }

    private func times(_ buffer: OutageBuffer) -> [Double] {
        var buffer = buffer
        var times: [Double] = []
        while let entry = buffer.first {
            times.append(entry.time)
            buffer.remove(entry.number)
        }
        return times
    }

    @Test func returnsReportsInOrder() {
        var buffer = OutageBuffer(count: 10, bytes: 1000)
        #expect(fill(&buffer, 5) == 0)
        #expect(times(buffer) == [0, 1, 2, 3, 4])
    }

    @Test func coversALongOutage() {
        var buffer = OutageBuffer(count: 10, bytes: 1000)
        #expect(fill(&buffer, 1000) == 990)
        let kept = times(buffer)
        #expect(kept.count == 10)
        #expect(kept.first == 0.0)
        #expect(kept.last == 999.0)
        // No gap is much longer than an even share of the outage.
        let gaps = zip(kept.dropFirst(), kept).map { $0 - $1 }
        #expect((gaps.max() ?? 0) <= 3 * 999 / 9)
    }

    @Test(arguments: [
        (4, [0, 1, 2, 3]), (5, [0, 2, 3, 4]), (6, [0, 2, 4, 5]), (7, [0, 2, 4, 6]), (8, [0, 2, 4, 7]),
    ])
    func dropsTheOldestReportWithTheClosestNeighbours(_ count: Int, _ kept: [Double]) {
        var buffer = OutageBuffer(count: 4, bytes: 1000)
        #expect(fill(&buffer, count) == count - 4)
        #expect(times(buffer) == kept)
    }

    @Test func isBoundedInBytes() {
        var buffer = OutageBuffer(count: 100, bytes: 25)
        for time in 0..<50 { _ = buffer.append([UInt8](repeating: 0, count: 10), at: Double(time)) }
        #expect(times(buffer) == [0, 49])
        // At least one is kept, whatever its size, and the bytes of removed ones are available again.
        var small = OutageBuffer(count: 100, bytes: 25)
        #expect(small.append([UInt8](repeating: 0, count: 100), at: 0) == 0)
        #expect(small.append([UInt8](repeating: 0, count: 10), at: 1) == 1)
        #expect(small.append([UInt8](repeating: 0, count: 10), at: 2) == 0)
        #expect(times(small) == [1, 2])
    }

    @Test func removedReportsMakeRoom() throws {
        var buffer = OutageBuffer(count: 100, bytes: 25)
        _ = buffer.append([UInt8](repeating: 0, count: 20), at: 0)
        buffer.remove(try #require(buffer.first).number)
        #expect(buffer.append([UInt8](repeating: 0, count: 20), at: 1) == 0)
        #expect(buffer.append([UInt8](repeating: 0, count: 5), at: 2) == 0)
        #expect(times(buffer) == [1, 2])
    }

    @Test(arguments: [0, 1]) func keepsTheLastReport(_ count: Int) {
        var buffer = OutageBuffer(count: count, bytes: 1000)
        #expect(fill(&buffer, 3) == 2)
        #expect(times(buffer) == [2])
    }

    @Test func ignoresRemovalOfADroppedReport() throws {
        var buffer = OutageBuffer(count: 3, bytes: 1000)
        _ = fill(&buffer, 2)
        let first = try #require(buffer.first)
        buffer.remove(first.number)
        buffer.remove(first.number)
        #expect(times(buffer) == [1])
    }
}
