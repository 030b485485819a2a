// SPDX-License-Identifier: MIT

import Testing

@testable import WPHistory

@Suite struct HistoryReductionTests {
    private func bucket(_ start: Int64, samples: Int, _ aggregates: [HistoryBucket.Aggregate]) -> HistoryBucket {
        HistoryBucket(start: start, seconds: 300, samples: samples, aggregates: aggregates[...])
    }

    private func reduced(_ buckets: [HistoryBucket], step: Int64, stored: Bool) -> [HistoryBucket] {
        var reduction = HistoryReduction(step: step)
        for bucket in buckets {
            guard stored else {
                reduction.add(bucket)
                continue
            }
            bucket.aggregateBytes.withUnsafeBytes {
                reduction.add(start: bucket.start, seconds: bucket.seconds, samples: bucket.samples, bytes: $0)
            }
        }
        return reduction.buckets
    }

    @Test(arguments: [false, true])
    func `buckets are joined to the step, quantity by quantity`(_ stored: Bool) throws {
        let buckets = [
            bucket(0, samples: 1, [.init(.loadWatts, 10), .init(.energy, 1)]),
            bucket(
                300,
                samples: 3,
                [.init(.loadPercent, 5), .init(.loadWatts, count: 3, average: 30, minimum: 20, maximum: 40)]
            ),
            bucket(600, samples: 1, [.init(.energy, 2)]),
            bucket(1200, samples: 1, [.init(.inputVolts, 230)]),
        ]
        let joined = reduced(buckets, step: 900, stored: stored)
        #expect(joined.map(\.start) == [0, 900])
        #expect(joined.map(\.seconds) == [900, 900])
        #expect(joined.map(\.samples) == [5, 1])
        let first = try #require(joined.first)
        #expect(first.aggregates.map(\.quantity) == [.loadPercent, .loadWatts, .energy].sorted())
        #expect(first[.loadPercent] == .init(.loadPercent, count: 1, average: 5, minimum: 5, maximum: 5))
        #expect(first[.loadWatts] == .init(.loadWatts, count: 4, average: 25, minimum: 10, maximum: 40))
        #expect(first[.energy]?.average == 3)
        #expect(joined.last?.aggregates.map(\.quantity) == [.inputVolts])
    }

    @Test(arguments: [false, true])
    func `what is as wide as the step stays as it is`(_ stored: Bool) {
        let buckets = (0..<5).map { bucket($0 * 300, samples: 1, [.init(.loadWatts, Double($0)), .init(.energy, 1)]) }
        #expect(reduced(buckets, step: 1, stored: stored) == buckets)
        #expect(reduced(buckets, step: 300, stored: stored) == buckets)
    }

    @Test func `a bucket that is damaged is left out, and so is one without samples`() {
        var reduction = HistoryReduction(step: 900)
        let good = bucket(0, samples: 1, [.init(.loadWatts, 10)])
        let bytes = good.aggregateBytes
        for (start, length, samples) in [(0, bytes.count, 1), (300, bytes.count - 1, 1), (600, bytes.count, 0)]
            as [(Int64, Int, Int)]
        {
            bytes[..<length].withUnsafeBytes { reduction.add(start: start, seconds: 300, samples: samples, bytes: $0) }
        }
        #expect(reduction.buckets.map(\.samples) == [1])
        #expect(reduction.buckets.first?[.loadWatts] == good[.loadWatts])
    }

    @Test func `quantities of a store may be in any order`() {
        var reduction = HistoryReduction(step: 900)
        let one = bucket(0, samples: 1, [.init(.loadPercent, 1), .init(.loadWatts, 2), .init(.inputVolts, 3)])
        reduction.add(one)
        reduction.add(bucket(300, samples: 1, one.aggregates.reversed()))
        let joined = reduction.buckets.first
        #expect(joined?.aggregates.count == 3)
        #expect(joined?[.loadPercent] == .init(.loadPercent, count: 2, average: 1, minimum: 1, maximum: 1))
        #expect(joined?[.inputVolts] == .init(.inputVolts, count: 2, average: 3, minimum: 3, maximum: 3))
    }
}
