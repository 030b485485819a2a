// SPDX-License-Identifier: MIT

extension [UInt8] {
    /// Appends the name and labels of a sample, and the space before its value.
    mutating func appendSeries(_ name: [UInt8], _ suffix: StaticString, _ labels: LabelSet) {
        append(contentsOf: name)
        append(suffix)
        labels.withRendered { append(contentsOf: $0) }
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
            labels.withRendered { append(contentsOf: $0.dropFirst().dropLast(2)) }
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
        _ labels: LabelSet,
        _ histogram: HistogramValue,
        _ index: Int,
        keepsPoint: Bool
    ) {
        appendSeries(name, "_bucket", labels, "le", histogram.buckets[index].upperBound, keepsPoint: keepsPoint)
    }
}

extension MetricFamily {
    /// About how many bytes the family takes in an exposition, rather too many.
    var estimatedSize: Int {
        let fixed = name.utf8.count + 24
        return metrics.withUnsafeBufferPointer { metrics in
            var size = 3 * fixed + help.utf8.count
            for index in metrics.indices {
                let line = fixed + metrics[index].labels.unsafeRendered.count
                switch metrics[index].value {
                case .value: size += line
                case .histogram(let histogram): size += (histogram.buckets.count + 2) * (line + 16)
                case .summary(let summary): size += (summary.quantiles.count + 2) * (line + 16)
                }
            }
            return size
        }
    }
}
