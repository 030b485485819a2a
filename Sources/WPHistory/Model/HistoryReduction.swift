// SPDX-License-Identifier: MIT

/// Joins buckets, which come in the order of time, to wider ones. A span without any stays out: a gap is a gap.
struct HistoryReduction {
    private(set) var buckets: [HistoryBucket] = []
    private let step: Int64

    /// - Parameter step: the width in seconds; buckets that are wider stay as they are.
    init(step: Int64) {
        self.step = max(1, step)
    }

    mutating func add(_ bucket: HistoryBucket) {
        let start = bucket.seconds >= step ? bucket.start : HistoryBucket.start(of: bucket.start, step: step)
        if let last = buckets.indices.last, buckets[last].start == start {
            buckets[last].merge(bucket)
        } else {
            var first = bucket
            first.start = start
            first.seconds = max(step, bucket.seconds)
            buckets.append(first)
        }
    }
}
