// SPDX-License-Identifier: MIT

/// The Prometheus text format, version 0.0.4 (prometheus.io/docs/instrumenting/exposition_formats).
///
/// It has no units or exemplars. Types that it lacks become gauges, except that a gauge histogram becomes a histogram.
package enum TextFormat {
    /// The value of the `Content-Type` header.
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// Encodes families in the given order.
    package static func encode(_ families: [MetricFamily]) -> [UInt8] {
        var buffer: [UInt8] = []
        buffer.reserveCapacity(families.reduce(0) { $0 + $1.estimatedSize })
        for family in families { encode(family, into: &buffer) }
        return buffer
    }

    /// Appends one family. A family without metrics appends nothing.
    package static func encode(_ family: MetricFamily, into buffer: inout [UInt8]) {
        guard !family.metrics.isEmpty else { return }
        buffer.append(contentsOf: family.descriptor.textHeader)
        let name = Array(family.name.utf8)
        for metric in family.metrics { encode(metric, name, into: &buffer) }
    }

    /// The lines HELP and TYPE of a family.
    static func header(name: String, help: String, type: MetricType) -> [UInt8] {
        var header: [UInt8] = []
        if !help.isEmpty {
            header.append(contentsOf: "# HELP \(name) ".utf8)
            header.appendEscaped(help, quotes: false)
            header.append(UInt8(ascii: "\n"))
        }
        header.append(contentsOf: "# TYPE \(name) \(type.textName)\n".utf8)
        return header
    }

    private static func encode(_ metric: Metric, _ name: [UInt8], into buffer: inout [UInt8]) {
        switch metric.value {
        case .value(let value):
            buffer.appendSeries(name, suffix: "", labels: metric.labels)
            buffer.appendValue(value)
            buffer.appendEnd(of: metric)
        case .histogram(let histogram):
            for index in histogram.buckets.indices {
                buffer.appendBucket(name, labels: metric.labels, histogram, at: index, keepsPoint: false)
                buffer.appendInteger(histogram.buckets[index].cumulativeCount)
                buffer.appendEnd(of: metric)
            }
            buffer.appendTotals(of: metric, name, sum: histogram.sum, count: histogram.count)
        case .summary(let summary):
            for quantile in summary.quantiles {
                buffer.appendSeries(
                    name,
                    suffix: "",
                    labels: metric.labels,
                    label: "quantile",
                    bound: quantile.quantile,
                    keepsPoint: false
                )
                buffer.appendValue(quantile.value)
                buffer.appendEnd(of: metric)
            }
            buffer.appendTotals(of: metric, name, sum: summary.sum, count: summary.count)
        }
    }
}

extension [UInt8] {
    fileprivate mutating func appendTotals(of metric: Metric, _ name: [UInt8], sum: Double?, count: UInt64?) {
        if let sum {
            appendSeries(name, suffix: "_sum", labels: metric.labels)
            appendValue(sum)
            appendEnd(of: metric)
        }
        if let count {
            appendSeries(name, suffix: "_count", labels: metric.labels)
            appendInteger(count)
            appendEnd(of: metric)
        }
    }

    /// Appends the timestamp in whole milliseconds; omits one that exceeds 64 bits.
    fileprivate mutating func appendEnd(of metric: Metric) {
        if let timestamp = metric.timestamp,
            let milliseconds = Int64(exactly: (timestamp * 1000).rounded(.toNearestOrEven))
        {
            append(milliseconds < 0 ? " -" : " ")
            appendInteger(milliseconds.magnitude)
        }
        append(UInt8(ascii: "\n"))
    }
}
