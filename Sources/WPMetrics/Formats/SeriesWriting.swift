// SPDX-License-Identifier: MIT

extension [UInt8] {
    /// Appends the name and labels of a sample, and the space before its value.
    mutating func appendSeries(_ name: [UInt8], _ suffix: StaticString, _ labels: LabelSet) {
        append(contentsOf: name)
        append(suffix)
        append(contentsOf: labels.rendered)
    }

    /// Appends the name and labels of a sample with a label of its type's own, and the space before its value.
    mutating func appendSeries(
        _ name: [UInt8],
        _ suffix: StaticString,
        _ labels: LabelSet,
        _ label: StaticString,
        _ bound: Double,
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
}

extension MetricFamily {
    /// About how many bytes the family takes in an exposition, rather too many.
    var estimatedSize: Int {
        let fixed = name.utf8.count + 32
        return metrics.reduce(3 * fixed + help.utf8.count) { size, metric in
            let line = fixed + metric.labels.rendered.count
            switch metric.value {
            case .value: return size + line
            case .histogram(let histogram): return size + (histogram.buckets.count + 2) * (line + 16)
            case .summary(let summary): return size + (summary.quantiles.count + 2) * (line + 16)
            }
        }
    }
}
