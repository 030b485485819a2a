// SPDX-License-Identifier: MIT

/// The buckets of one histogram at one moment. Valid by construction.
public struct HistogramValue: Sendable, Hashable {
    /// How many observations were at most so large.
    public struct Bucket: Sendable, Hashable {
        /// The largest value that counts here (`le`); the last bucket's is infinite.
        public let upperBound: Double
        /// The observations in this bucket and in all before it.
        public let cumulativeCount: UInt64
        /// An observation of this bucket; nil for none.
        public let exemplar: Exemplar?

        /// Creates a bucket.
        public init(upperBound: Double, cumulativeCount: UInt64, exemplar: Exemplar? = nil) {
            self.upperBound = upperBound
            self.cumulativeCount = cumulativeCount
            self.exemplar = exemplar
        }
    }

    /// The buckets by ascending bound; never empty, and the last one's bound is `+Inf`.
    public let buckets: [Bucket]
    /// The sum of all observations; nil when it is unknown.
    public let sum: Double?

    /// All observations: what the `+Inf` bucket counts.
    public var count: UInt64 { buckets.last?.cumulativeCount ?? 0 }

    /// Creates a value.
    /// - Parameters:
    ///   - buckets: by ascending bound, the counts not decreasing, the last bound `+Inf`.
    ///   - sum: the sum of all observations; nil when it is not known.
    /// - Throws: ``MetricError/Code/invalidBuckets`` when the buckets are not so.
    public init(buckets: [Bucket], sum: Double?) throws(MetricError) {
        guard let last = buckets.last, last.upperBound == .infinity else {
            throw MetricError(
                .invalidBuckets,
                subject: "le",
                "a histogram's last bucket is not '+Inf': add that bucket"
            )
        }
        for (bucket, next) in zip(buckets, buckets.dropFirst()) {
            guard bucket.upperBound < next.upperBound, bucket.cumulativeCount <= next.cumulativeCount else {
                throw MetricError(
                    .invalidBuckets,
                    subject: "le",
                    "the buckets \(bucket.upperBound) and \(next.upperBound) do not ascend: sort and accumulate them"
                )
            }
        }
        self.init(valid: buckets, sum: sum)
    }

    /// Creates a value from buckets that ascend.
    init(valid buckets: [Bucket], sum: Double?) {
        self.buckets = buckets
        self.sum = sum
    }
}
