// SPDX-License-Identifier: MIT

extension [UInt8] {
    /// Appends the name and labels of a sample, and the space before its value.
    mutating func appendSeries(_ name: [UInt8], suffix: StaticString, labels: LabelSet) {
        append(contentsOf: name)
        append(suffix)
        append(contentsOf: labels.rendered)
    }

    /// Appends the name and labels of a sample, including the label that its type adds, and the space before its value.
    mutating func appendSeries(
        _ name: [UInt8],
        suffix: StaticString,
        labels: LabelSet,
        label: StaticString,
        bound: Double,
        keepsPoint: Bool
    ) {
        append(contentsOf: name)
        append(suffix)
        append(UInt8(ascii: "{"))
        if !labels.isEmpty {
            append(contentsOf: labels.renderedPairs)
            append(UInt8(ascii: ","))
        }
        append(label)
        append("=\"")
        appendBound(bound, keepsPoint: keepsPoint)
        append("\"} ")
    }

    /// Appends the name and labels of a bucket, and the space before its count.
    mutating func appendBucket(
        _ name: [UInt8],
        labels: LabelSet,
        _ histogram: HistogramValue,
        at index: Int,
        keepsPoint: Bool
    ) {
        let bound = histogram.buckets[index].upperBound
        appendSeries(name, suffix: "_bucket", labels: labels, label: "le", bound: bound, keepsPoint: keepsPoint)
    }
}

extension MetricFamily {
    /// A generous estimate of the family's size in an exposition, in bytes.
    var estimatedSize: Int {
        let fixed = name.utf8.count + 24
        return metrics.reduce(3 * fixed + help.utf8.count) { size, metric in
            let line = fixed + metric.labels.rendered.count
            return switch metric.value {
            case .value: size + line
            case .histogram(let histogram): size + (histogram.buckets.count + 2) * (line + 16)
            case .summary(let summary): size + (summary.quantiles.count + 2) * (line + 16)
            }
        }
    }
}
