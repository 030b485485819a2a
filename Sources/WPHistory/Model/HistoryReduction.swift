// SPDX-License-Identifier: MIT

/// Joins buckets, which come in the order of time, to wider ones. A span without any stays out: a gap is a gap.
///
/// A query may have 8,640 of them, so the aggregates of all are in one array, and none is allocated for a bucket.
struct HistoryReduction {
    private struct Head {
        let start: Int64
        var seconds: Int64
        var samples: Int
        /// The index of its first aggregate; the last one stands before the first of the next bucket.
        let first: Int
    }

    private let step: Int64
    private var heads: [Head] = []
    private var aggregates: [HistoryBucket.Aggregate] = []
    /// What is read to be joined, kept for the next one.
    private var read: [HistoryBucket.Aggregate] = []

    /// - Parameter step: the width in seconds; buckets that are wider stay as they are.
    init(step: Int64) {
        self.step = max(1, step)
    }

    /// The buckets so far.
    var buckets: [HistoryBucket] {
        heads.indices.map { index in
            let head = heads[index]
            let end = index + 1 < heads.count ? heads[index + 1].first : aggregates.count
            return HistoryBucket(
                start: head.start,
                seconds: head.seconds,
                samples: head.samples,
                aggregates: aggregates[head.first..<end]
            )
        }
    }

    /// Adds a bucket.
    mutating func add(_ bucket: HistoryBucket) {
        if joins(bucket.start, bucket.seconds, bucket.samples) {
            aggregates.merge(bucket.aggregates, from: heads[heads.count - 1].first)
        } else {
            append(bucket.start, bucket.seconds, bucket.samples)
            aggregates += bucket.aggregates
        }
    }

    /// Adds a bucket as a store keeps it: see ``HistoryBucket/aggregateBytes``. One that is damaged is left out.
    mutating func add(start: Int64, seconds: Int64, samples: Int, bytes: UnsafeRawBufferPointer) {
        guard seconds > 0, samples > 0 else { return }
        read.removeAll(keepingCapacity: true)
        guard HistoryBucket.read(bytes, samples: samples, into: &read) else { return }
        if joins(start, seconds, samples) {
            aggregates.merge(read, from: heads[heads.count - 1].first)
        } else {
            append(start, seconds, samples)
            aggregates += read
        }
    }

    /// Whether a bucket belongs to the last one, which then has its samples.
    private mutating func joins(_ start: Int64, _ seconds: Int64, _ samples: Int) -> Bool {
        let last = heads.count - 1
        guard last >= 0, heads[last].start == begin(of: start, seconds) else { return false }
        heads[last].samples += samples
        heads[last].seconds = max(heads[last].seconds, seconds)
        return true
    }

    private mutating func append(_ start: Int64, _ seconds: Int64, _ samples: Int) {
        heads.append(
            Head(
                start: begin(of: start, seconds),
                seconds: max(step, seconds),
                samples: samples,
                first: aggregates.count
            )
        )
    }

    private func begin(of start: Int64, _ seconds: Int64) -> Int64 {
        seconds >= step ? start : HistoryBucket.start(of: start, step: step)
    }
}
