// SPDX-License-Identifier: MIT

import Testing

@testable import WPHistory

@Suite struct HistoryReductionTests {
    private func bucket(_ start: Int64, samples: Int, _ aggregates: [HistoryBucket.Aggregate]) -> HistoryBucket {
        HistoryBucket(start: start, seconds: 300, samples: samples, aggregates: aggregates)
    }

    /// The results of a reduction.
    private func reduced(
        _ buckets: [HistoryBucket],
        step: Int64,
        unsaved: [HistoryBucket] = []
    ) -> [HistoryBucket] {
        let reduction = HistoryReduction(step: step, unsaved: unsaved)
        reduction.begin()
        for bucket in buckets { reduction.add(bucket) }
        return reduction.finish()
    }

    @Test func `merges buckets per step and quantity`() throws {
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
        let joined = reduced(buckets, step: 900)
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

    @Test func `keeps buckets as wide as the step`() {
        let buckets = (0..<5).map { bucket($0 * 300, samples: 1, [.init(.loadWatts, Double($0)), .init(.energy, 1)]) }
        #expect(reduced(buckets, step: 1) == buckets)
        #expect(reduced(buckets, step: 300) == buckets)
    }

    @Test func `inserts unsaved buckets in order`() {
        func watts(_ start: Int64, _ value: Double) -> HistoryBucket {
            bucket(start, samples: 1, [.init(.loadWatts, value)])
        }
        let saved = [watts(300, 1), watts(900, 2), watts(1200, 3)]
        let unsaved = [watts(0, 4), watts(900, 6), watts(1500, 5)]
        let all = reduced(saved, step: 1, unsaved: unsaved)
        #expect(all.map(\.start) == [0, 300, 900, 1200, 1500])
        #expect(all.map { $0[.loadWatts]?.average } == [4, 1, 4, 3, 5])
        #expect(all.map(\.samples) == [1, 1, 2, 1, 1])
        #expect(reduced([], step: 600, unsaved: unsaved).map(\.start) == [0, 600, 1200])
    }

    @Test func `reads a restarted store once`() {
        let one = bucket(0, samples: 1, [.init(.loadWatts, 10)])
        let reduction = HistoryReduction(step: 1, unsaved: [bucket(300, samples: 2, [])])
        for _ in 0..<2 {
            reduction.begin()
            reduction.add(one)
            reduction.add(bucket(600, samples: 3, []))
        }
        #expect(reduction.finish().map(\.samples) == [1, 2, 3])
    }

    @Test func `omits empty buckets`() {
        let all = [(0, 1), (300, 0), (900, 0), (1800, 1)].map { start, samples in
            bucket(start, samples: samples, [.init(.loadWatts, 10)])
        }
        #expect(reduced(all, step: 900).map(\.start) == [0, 1800])
        #expect(reduced(all, step: 900).map(\.samples) == [1, 1])
    }

    @Test func `accepts quantities in any order`() {
        let one = bucket(0, samples: 1, [.init(.loadPercent, 1), .init(.loadWatts, 2), .init(.inputVolts, 3)])
        let joined = reduced([one, bucket(300, samples: 1, one.aggregates.reversed())], step: 900).first
        #expect(joined?.aggregates.count == 3)
        #expect(joined?[.loadPercent] == .init(.loadPercent, count: 2, average: 1, minimum: 1, maximum: 1))
        #expect(joined?[.inputVolts] == .init(.inputVolts, count: 2, average: 3, minimum: 3, maximum: 3))
    }
}
