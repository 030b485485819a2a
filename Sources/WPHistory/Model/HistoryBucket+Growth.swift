// SPDX-License-Identifier: MIT

extension HistoryBucket {
    /// The counter increases of removed buckets, as a partial bucket to merge with a remaining one.
    /// - Parameter start: that bucket's start; nil if no bucket remains.
    /// - Returns: nil if there is nothing to keep.
    static func growth(of buckets: [HistoryBucket], to start: Int64?) -> HistoryBucket? {
        guard let start, let seconds = buckets.first?.seconds else { return nil }
        var part = HistoryBucket(start: start, seconds: seconds, samples: 0)
        for aggregate in buckets.flatMap(\.aggregates) where aggregate.quantity.isCounter {
            var moved = aggregate
            moved.count = 0
            part.add(moved)
        }
        return part.aggregates.isEmpty ? nil : part
    }
}
