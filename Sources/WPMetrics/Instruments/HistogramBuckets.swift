// SPDX-License-Identifier: MIT

/// The bounds of a histogram's buckets. Valid by construction.
public struct HistogramBuckets: Sendable, Hashable {
    /// The maximum number of bounds: each costs one series per child.
    package static let maximumCount = 500

    /// The upper bounds, ascending and finite; the `+Inf` bucket is always added.
    package let upperBounds: [Double]

    /// From 5 ms to 10 s, for latencies of network services: the default of Prometheus's own libraries.
    public static let standard = HistogramBuckets(
        valid: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
    )

    private init(valid upperBounds: [Double]) {
        self.upperBounds = upperBounds
    }

    /// Creates bounds.
    /// - Parameter upperBounds: ascending; a final `+Inf` is optional.
    /// - Throws: ``MetricError/Code/invalidBuckets`` if they are not ascending, not finite or too many.
    public init(_ upperBounds: [Double]) throws(MetricError) {
        let finite = upperBounds.last == .infinity ? Array(upperBounds.dropLast()) : upperBounds
        guard finite.count <= Self.maximumCount else {
            throw Self.error("too many buckets (\(finite.count)): the maximum is \(Self.maximumCount)")
        }
        for bound in finite where !bound.isFinite {
            throw Self.error("the bucket \(bound) is not finite: omit it, '+Inf' is always included")
        }
        for (bound, next) in zip(finite, finite.dropFirst()) where bound >= next {
            throw Self.error("the buckets \(bound) and \(next) do not ascend: sort them")
        }
        self.upperBounds = finite
    }

    /// Evenly spaced bounds: `start`, `start + width`, …
    /// - Throws: ``MetricError/Code/invalidBuckets`` if the width is not positive or the count is not 1…500.
    public static func linear(start: Double, width: Double, count: Int) throws(MetricError) -> HistogramBuckets {
        guard width > 0 else { throw error("the width \(width) of the buckets is not positive") }
        try check(count)
        return try HistogramBuckets((0..<count).map { start + Double($0) * width })
    }

    /// Bounds that grow by a factor: `start`, `start * factor`, …
    /// - Throws: ``MetricError/Code/invalidBuckets`` if the start is not positive, the factor is not above 1, or the
    ///   count is not 1…500.
    public static func exponential(start: Double, factor: Double, count: Int) throws(MetricError) -> HistogramBuckets {
        guard start > 0 else { throw error("the start \(start) of the buckets is not positive") }
        guard factor > 1 else { throw error("the factor \(factor) of the buckets is not above 1") }
        try check(count)
        var bounds: [Double] = []
        var bound = start
        for _ in 0..<count {
            bounds.append(bound)
            bound *= factor
        }
        return try HistogramBuckets(bounds)
    }

    private static func check(_ count: Int) throws(MetricError) {
        guard (1...maximumCount).contains(count) else {
            throw error("invalid number of buckets \(count): expected 1 to \(maximumCount)")
        }
    }

    private static func error(_ description: String) -> MetricError {
        MetricError(.invalidBuckets, subject: "le", description)
    }
}
