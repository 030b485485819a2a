// SPDX-License-Identifier: MIT

import WPMetrics

/// The identity of a sample.
struct SampleKey: Hashable {
    let name: String
    /// The labels except the bound, as bytes, because Prometheus distinguishes strings that `String` considers equal.
    private let labels: [[UInt8]: [UInt8]]
    /// The value of `le` or `quantile`.
    private let bound: Double?

    init(_ name: String, _ labels: [(String, String)]) {
        var known: [[UInt8]: [UInt8]] = [:]
        var bound: Double?
        for (label, value) in labels {
            if label == "le" || label == "quantile", let number = Double(value == "+Inf" ? "inf" : value) {
                bound = number
            } else {
                known[Array(label.utf8)] = Array(value.utf8)
            }
        }
        self.name = name
        self.labels = known
        self.bound = bound
    }

    init(_ name: String, _ labels: LabelSet, bound: Double? = nil) {
        self.name = name
        self.labels = Dictionary(labels.map { (Array($0.name.utf8), Array($0.value.utf8)) }) { $1 }
        self.bound = bound
    }
}

extension MetricFamily {
    /// The samples of the family in the text format.
    var samples: [(key: SampleKey, value: Double)] {
        metrics.flatMap { metric -> [(key: SampleKey, value: Double)] in
            func sample(_ suffix: String, _ value: Double, bound: Double? = nil) -> (key: SampleKey, value: Double) {
                (SampleKey(name + suffix, metric.labels, bound: bound), value)
            }
            switch metric.value {
            case .value(let value):
                return [(SampleKey(name, metric.labels.map { ($0.name, $0.value) }), value)]
            case .histogram(let histogram):
                return histogram.buckets.map { sample("_bucket", Double($0.cumulativeCount), bound: $0.upperBound) }
                    + [sample("_count", Double(histogram.count))] + (histogram.sum.map { [sample("_sum", $0)] } ?? [])
            case .summary(let summary):
                return summary.quantiles.map { sample("", $0.value, bound: $0.quantile) }
                    + (summary.count.map { [sample("_count", Double($0))] } ?? [])
                    + (summary.sum.map { [sample("_sum", $0)] } ?? [])
            }
        }
    }
}
