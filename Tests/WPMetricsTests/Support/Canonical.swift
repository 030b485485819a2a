// SPDX-License-Identifier: MIT

import WPMetrics

/// Describes a family as text, distinguishing -0 from 0 and treating all NaNs as equal.
func canonical(_ families: [MetricFamily]) -> [String] {
    families.flatMap { family in
        ["\(family.name) \(family.type) \(family.unit ?? "-") \(bytes(family.help))"]
            + family.metrics.map { canonical($0) }
    }
}

private func canonical(_ metric: Metric) -> String {
    let end = "\(metric.labels) @\(text(metric.timestamp)) \(text(metric.exemplar)) \(text(metric.created))"
    switch metric.value {
    case .value(let value): return "\(text(value)) \(end)"
    case .histogram(let histogram):
        let buckets = histogram.buckets.map { "\(text($0.upperBound)):\($0.cumulativeCount)\(text($0.exemplar))" }
        return "\(buckets) \(text(histogram.sum)) \(end)"
    case .summary(let summary):
        let quantiles = summary.quantiles.map { "\(text($0.quantile)):\(text($0.value))" }
        return "\(quantiles) \(text(summary.sum)) \(summary.count.map(String.init) ?? "-") \(end)"
    }
}

private func text(_ exemplar: Exemplar?) -> String {
    exemplar.map { "\($0.labels) \(text($0.value)) @\(text($0.timestamp))" } ?? "-"
}

private func text(_ number: Double?) -> String {
    guard let number else { return "-" }
    return number.isNaN ? "NaN" : String(number.bitPattern, radix: 16)
}

/// Bytes, because canonically equivalent strings are equal in Swift.
private func bytes(_ text: String) -> String { text.utf8.map(String.init).joined(separator: ".") }
