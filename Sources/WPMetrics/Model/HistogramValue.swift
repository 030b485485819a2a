// SPDX-License-Identifier: MIT

/// The buckets of one histogram at one moment. Valid by construction.
public struct HistogramValue: Sendable, Hashable {
    /// The number of observations up to a bound.
    public struct Bucket: Sendable, Hashable {
        /// The upper bound (`le`); infinite for the last bucket.
        public let upperBound: Double
        /// The number of observations in this bucket and all before it.
        public let cumulativeCount: UInt64
        /// An exemplar of this bucket; nil for none.
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
    /// The sum of all observations; nil if unknown.
    public let sum: Double?

    /// The number of all observations, which is the count of the `+Inf` bucket.
    public var count: UInt64 { buckets.last?.cumulativeCount ?? 0 }

    /// Creates a value.
    /// - Parameters:
    ///   - buckets: by ascending bound, with counts that do not decrease; the last bound is `+Inf`.
    ///   - sum: the sum of all observations; nil if unknown.
    /// - Throws: ``MetricError/Code/invalidBuckets`` if the buckets are invalid.
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

    /// Creates a value from validated buckets.
    init(valid buckets: [Bucket], sum: Double?) {
        self.buckets = buckets
        self.sum = sum
    }
}
