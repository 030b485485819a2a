// SPDX-License-Identifier: MIT

/// The samples of one metric at one time.
struct MetricPoint {
    let labels: LabelSet
    let timestamp: Double?
    private var value: Double?
    private var exemplar: Exemplar?
    private var buckets: [HistogramValue.Bucket] = []
    private var quantiles: [SummaryValue.Quantile] = []
    private var sum: Double?
    private var count: UInt64?
    private(set) var created: Double?

    init(labels: LabelSet, timestamp: Double?) {
        self.labels = labels
        self.timestamp = timestamp
    }

    /// Adds a sample.
    /// - Parameters:
    ///   - bound: the value of its label `le` or `quantile`.
    ///   - isRepeatable: whether to ignore repeated points. OpenMetrics allows points with equal timestamps, and uses
    ///     the first.
    mutating func add(
        _ sample: ParsedSample,
        as role: FamilyAssembler.Role,
        bound: Double,
        isRepeatable: Bool
    ) throws(ScanFault) {
        guard !has(role, bound) else {
            guard isRepeatable else { throw ScanFault(.grouping, "\(sample.name)\(labels) is repeated") }
            return
        }
        switch role {
        case .value:
            value = sample.number.value
            exemplar = sample.exemplar
        case .bucket:
            buckets.append(.init(upperBound: bound, cumulativeCount: try sample.count(), exemplar: sample.exemplar))
        case .quantile: quantiles.append(.init(bound, value: sample.number.value))
        case .sum: sum = sample.number.value
        case .count: count = try sample.count()
        case .created: created = sample.number.value
        }
    }

    private func has(_ role: FamilyAssembler.Role, _ bound: Double) -> Bool {
        switch role {
        case .value: value != nil
        case .bucket: buckets.last?.upperBound == bound
        case .quantile: quantiles.last?.quantile == bound
        case .sum: sum != nil
        case .count: count != nil
        case .created: created != nil
        }
    }

    /// The metric, without its timestamp.
    func metric(of type: MetricType, _ syntax: ExpositionFormat.Syntax) throws(ScanFault) -> Metric {
        switch type {
        case .histogram, .gaugeHistogram: return Metric(labels: labels, .histogram(try histogram(type, syntax)))
        case .summary: return Metric(labels: labels, .summary(try summary(syntax)))
        case .counter, .gauge, .info, .stateSet, .unknown:
            guard let value else { throw ScanFault(.inconsistent, "the metric \(labels) has no value") }
            return Metric(labels: labels, value: value, exemplar: exemplar)
        }
    }

    private func histogram(_ type: MetricType, _ syntax: ExpositionFormat.Syntax) throws(ScanFault) -> HistogramValue {
        var buckets = buckets
        if buckets.last?.upperBound != .infinity, syntax == .text, let count {
            buckets.append(.init(upperBound: .infinity, cumulativeCount: count))
        }
        let allBuckets = buckets
        let value = try ScanFault.wrapping(.inconsistent) { () throws(MetricError) in
            try HistogramValue(buckets: allBuckets, sum: sum)
        }
        guard count == nil || count == value.count else {
            throw ScanFault(.inconsistent, "the count of \(labels) is not that of its '+Inf' bucket")
        }
        guard syntax == .openMetrics else { return value }
        guard (sum == nil) == (count == nil) else {
            throw ScanFault(.inconsistent, "\(labels) has a sum or a count without the other")
        }
        if let sum {
            let hasNegativeBucket = (buckets.first?.upperBound ?? 0) < 0
            guard type == .gaugeHistogram || !hasNegativeBucket else {
                throw ScanFault(.inconsistent, "\(labels) has a negative bucket and therefore no sum")
            }
            guard sum >= 0 || (hasNegativeBucket && !sum.isNaN) else {
                throw ScanFault(.value, "the sum of \(labels) is negative or NaN")
            }
        }
        return value
    }

    private func summary(_ syntax: ExpositionFormat.Syntax) throws(ScanFault) -> SummaryValue {
        if syntax == .openMetrics {
            guard sum.map({ $0 >= 0 }) ?? true else {
                throw ScanFault(.value, "the sum of \(labels) is negative or NaN")
            }
            guard quantiles.allSatisfy({ !($0.value < 0) }) else {
                throw ScanFault(.value, "a quantile of \(labels) is negative")
            }
        }
        guard !quantiles.isEmpty || sum != nil || count != nil else {
            throw ScanFault(.inconsistent, "the summary \(labels) is empty")
        }
        return try ScanFault.wrapping(.inconsistent) { () throws(MetricError) in
            try SummaryValue(quantiles: quantiles, sum: sum, count: count)
        }
    }
}
