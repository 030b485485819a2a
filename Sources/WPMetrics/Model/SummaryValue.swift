// SPDX-License-Identifier: MIT

/// The state of one summary at one moment. Valid by construction.
public struct SummaryValue: Sendable, Hashable {
    /// A quantile of the observations.
    public struct Quantile: Sendable, Hashable {
        /// The quantile, 0…1.
        public let quantile: Double
        /// The value; NaN without observations.
        public let value: Double

        /// Creates a quantile.
        public init(_ quantile: Double, value: Double) {
            self.quantile = quantile
            self.value = value
        }
    }

    /// The quantiles, ascending.
    public let quantiles: [Quantile]
    /// The sum of all observations; nil if unknown.
    public let sum: Double?
    /// The number of all observations; nil if unknown.
    public let count: UInt64?

    /// Creates a value.
    /// - Parameters:
    ///   - quantiles: ascending, each 0…1.
    ///   - sum: the sum of all observations; nil if unknown.
    ///   - count: the number of all observations; nil if unknown.
    /// - Throws: ``MetricError/Code/invalidQuantiles`` if the quantiles are invalid.
    public init(quantiles: [Quantile] = [], sum: Double?, count: UInt64?) throws(MetricError) {
        try Self.check(quantiles.map(\.quantile))
        self.init(valid: quantiles, sum: sum, count: count)
    }

    /// Creates a value from validated quantiles.
    init(valid quantiles: [Quantile], sum: Double?, count: UInt64?) {
        self.quantiles = quantiles
        self.sum = sum
        self.count = count
    }

    static func check(_ quantiles: [Double]) throws(MetricError) {
        for quantile in quantiles where !(0...1).contains(quantile) {
            throw MetricError(.invalidQuantiles, subject: "quantile", "the quantile \(quantile) is not within 0…1")
        }
        for (quantile, next) in zip(quantiles, quantiles.dropFirst()) where quantile >= next {
            throw MetricError(
                .invalidQuantiles,
                subject: "quantile",
                "the quantiles \(quantile) and \(next) do not ascend: sort them"
            )
        }
    }
}
