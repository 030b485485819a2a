// SPDX-License-Identifier: MIT

/// The OpenMetrics text format, version 1.0.0 (github.com/prometheus/OpenMetrics, specification/OpenMetrics.md).
///
/// Counters and info metrics are named without `_total` and `_info` in their metadata, as the specification requires;
/// the samples of any counter end in `_total`. Omits values that the specification forbids: a negative or NaN sum with
/// its count, and negative quantiles.
package enum OpenMetricsFormat {
    /// The value of the `Content-Type` header.
    package static let contentType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

    /// Encodes a whole exposition, with the families in the given order and a final `# EOF`.
    package static func encode(_ families: [MetricFamily]) -> [UInt8] {
        var buffer: [UInt8] = []
        buffer.reserveCapacity(families.reduce(16) { $0 + $1.estimatedSize })
        for family in families { encode(family, into: &buffer) }
        encodeEnd(into: &buffer)
        return buffer
    }

    /// Appends one family. A family without metrics appends nothing.
    package static func encode(_ family: MetricFamily, into buffer: inout [UInt8]) {
        guard !family.metrics.isEmpty else { return }
        buffer.append(contentsOf: family.descriptor.openMetricsHeader)
        let name = Array(family.descriptor.openMetricsName.utf8)
        let type = family.type
        for metric in family.metrics { encode(metric, type, name, into: &buffer) }
    }

    /// The lines TYPE, UNIT and HELP of a family.
    static func header(name: String, help: String, type: MetricType, unit: String?) -> [UInt8] {
        var header = Array("# TYPE \(name) \(type.rawValue)\n".utf8)
        if let unit { header.append(contentsOf: "# UNIT \(name) \(unit)\n".utf8) }
        if !help.isEmpty {
            header.append(contentsOf: "# HELP \(name) ".utf8)
            header.appendEscaped(help, quotes: true)
            header.append(UInt8(ascii: "\n"))
        }
        return header
    }

    /// Appends the `# EOF` that ends an exposition.
    package static func encodeEnd(into buffer: inout [UInt8]) {
        buffer.append("# EOF\n")
    }

    private static func encode(
        _ metric: Metric,
        _ type: MetricType,
        _ name: [UInt8],
        into buffer: inout [UInt8]
    ) {
        defer { encodeCreated(metric, type, name, into: &buffer) }
        switch metric.value {
        case .value(let value):
            let suffix: StaticString = type == .counter ? "_total" : type == .info ? "_info" : ""
            buffer.appendSeries(name, suffix: suffix, labels: metric.labels)
            buffer.appendValue(value)
            buffer.appendEnd(of: metric, metric.exemplar)
        case .histogram(let histogram):
            encode(histogram, of: metric, type, name, into: &buffer)
        case .summary(let summary):
            for quantile in summary.quantiles where !(quantile.value < 0) {
                buffer.appendSeries(
                    name,
                    suffix: "",
                    labels: metric.labels,
                    label: "quantile",
                    bound: quantile.quantile,
                    keepsPoint: true
                )
                buffer.appendValue(quantile.value)
                buffer.appendEnd(of: metric, nil)
            }
            if let count = summary.count {
                buffer.appendSeries(name, suffix: "_count", labels: metric.labels)
                buffer.appendInteger(count)
                buffer.appendEnd(of: metric, nil)
            }
            if let sum = summary.sum, sum >= 0 {
                buffer.appendSeries(name, suffix: "_sum", labels: metric.labels)
                buffer.appendValue(sum)
                buffer.appendEnd(of: metric, nil)
            }
        }
    }

    private static func encodeCreated(
        _ metric: Metric,
        _ type: MetricType,
        _ name: [UInt8],
        into buffer: inout [UInt8]
    ) {
        guard let created = metric.created, created.isFinite, [.counter, .histogram, .summary].contains(type) else {
            return
        }
        buffer.appendSeries(name, suffix: "_created", labels: metric.labels)
        buffer.appendValue(created)
        buffer.appendEnd(of: metric, nil)
    }

    private static func encode(
        _ histogram: HistogramValue,
        of metric: Metric,
        _ type: MetricType,
        _ name: [UInt8],
        into buffer: inout [UInt8]
    ) {
        for index in histogram.buckets.indices {
            buffer.appendBucket(name, labels: metric.labels, histogram, at: index, keepsPoint: true)
            buffer.appendInteger(histogram.buckets[index].cumulativeCount)
            buffer.appendEnd(of: metric, histogram.buckets[index].exemplar)
        }
        // With a negative bucket, the sum may decrease, which is allowed only in a gauge histogram.
        let hasNegativeBucket = (histogram.buckets.first?.upperBound ?? 0) < 0
        let isGauge = type == .gaugeHistogram
        guard let sum = histogram.sum, sum >= 0 || (isGauge && hasNegativeBucket && sum < 0) else { return }
        guard isGauge || !hasNegativeBucket else { return }
        buffer.appendSeries(name, suffix: isGauge ? "_gcount" : "_count", labels: metric.labels)
        buffer.appendInteger(histogram.count)
        buffer.appendEnd(of: metric, nil)
        buffer.appendSeries(name, suffix: isGauge ? "_gsum" : "_sum", labels: metric.labels)
        buffer.appendValue(sum)
        buffer.appendEnd(of: metric, nil)
    }
}

extension [UInt8] {
    /// Appends the timestamp, in seconds, and the exemplar.
    fileprivate mutating func appendEnd(of metric: Metric, _ exemplar: Exemplar?) {
        appendTimestamp(metric.timestamp)
        if let exemplar {
            append(" # {")
            append(contentsOf: exemplar.labels.renderedPairs)
            append("} ")
            appendValue(exemplar.value)
            appendTimestamp(exemplar.timestamp)
        }
        append(UInt8(ascii: "\n"))
    }

    private mutating func appendTimestamp(_ timestamp: Double?) {
        guard let timestamp, timestamp.isFinite else { return }
        append(UInt8(ascii: " "))
        appendValue(timestamp)
    }
}
