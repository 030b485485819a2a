// SPDX-License-Identifier: MIT

import WPMetrics

/// A sample that a reader must find. Numbers are bit patterns, because JSON has no NaN; `le` and `quantile` are
/// separate from the labels, because their spelling depends on the format.
struct ExpectedSample: Encodable {
    let name: String
    let labels: [String: String]
    var boundName: String?
    var bound: String?
    let value: String
    let timestamp: String?
    var exemplar: ExpectedExemplar?

    struct ExpectedExemplar: Encodable {
        let labels: [String: String]
        let value: String
        let timestamp: String?

        init?(_ exemplar: Exemplar?) {
            guard let exemplar else { return nil }
            labels = dictionary(exemplar.labels)
            value = bits(exemplar.value)
            timestamp = exemplar.timestamp.map(bits)
        }
    }

    init(
        _ name: String,
        _ metric: Metric,
        _ value: Double,
        _ bound: (name: String, value: Double)? = nil,
        exemplar: Exemplar? = nil
    ) {
        self.name = name
        labels = dictionary(metric.labels)
        boundName = bound?.name
        self.bound = bound.map { bits($0.value) }
        self.value = bits(value)
        timestamp = metric.timestamp.map(bits)
        self.exemplar = ExpectedExemplar(exemplar)
    }

    /// The samples of a family, in the order that the formats specify.
    static func samples(of family: MetricFamily, isOpenMetrics: Bool) -> [ExpectedSample] {
        family.metrics.flatMap { metric -> [ExpectedSample] in
            values(of: metric, in: family, isOpenMetrics) + created(metric, in: family)
        }
    }

    private static func created(_ metric: Metric, in family: MetricFamily) -> [ExpectedSample] {
        let name = family.type == .counter ? String(family.name.dropLast("_total".count)) : family.name
        return metric.created.map { [ExpectedSample(name + "_created", metric, $0)] } ?? []
    }

    private static func values(
        of metric: Metric,
        in family: MetricFamily,
        _ isOpenMetrics: Bool
    ) -> [ExpectedSample] {
        switch metric.value {
        case .value(let value):
            return [ExpectedSample(family.name, metric, value, exemplar: metric.exemplar)]
        case .histogram(let histogram):
            let isGauge = family.type == .gaugeHistogram
            var samples = histogram.buckets.map { bucket in
                ExpectedSample(
                    family.name + "_bucket",
                    metric,
                    Double(bucket.cumulativeCount),
                    ("le", bucket.upperBound),
                    exemplar: bucket.exemplar
                )
            }
            if !isOpenMetrics || histogram.sum != nil {
                let name = family.name + (isGauge ? "_gcount" : "_count")
                samples.append(ExpectedSample(name, metric, Double(histogram.count)))
            }
            if let sum = histogram.sum {
                samples.append(ExpectedSample(family.name + (isGauge ? "_gsum" : "_sum"), metric, sum))
            }
            return samples
        case .summary(let summary):
            var samples = summary.quantiles.map {
                ExpectedSample(family.name, metric, $0.value, ("quantile", $0.quantile))
            }
            if let count = summary.count {
                samples.append(ExpectedSample(family.name + "_count", metric, Double(count)))
            }
            if let sum = summary.sum { samples.append(ExpectedSample(family.name + "_sum", metric, sum)) }
            return samples
        }
    }
}

private func bits(_ number: Double) -> String { String(number.bitPattern, radix: 16) }

private func dictionary(_ labels: LabelSet) -> [String: String] {
    Dictionary(labels.map { ($0.name, $0.value) }) { $1 }
}
