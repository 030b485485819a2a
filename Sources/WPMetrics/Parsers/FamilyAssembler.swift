// SPDX-License-Identifier: MIT

/// Builds a family from the lines that belong to it.
struct FamilyAssembler {
    /// The role of a sample in its metric.
    enum Role { case value, bucket, quantile, sum, count, created }

    private struct Key: Hashable {
        let labels: LabelSet
        let timestamp: Double?
    }

    /// The name of the family in the metadata.
    let name: String
    let syntax: ExpositionFormat.Syntax
    /// The line on which the family begins.
    let line: Int
    var type: MetricType?
    var help: String?
    var unit: String?

    private var points: [MetricPoint] = []
    private var indices: [Key: Int] = [:]
    private var lastTimestamps: [LabelSet: Double?] = [:]

    init(name: String, syntax: ExpositionFormat.Syntax, line: Int) {
        self.name = name
        self.syntax = syntax
        self.line = line
    }

    var hasSamples: Bool { !points.isEmpty }

    /// The role of a sample in this family; nil if it does not belong to it.
    func role(of sample: String) -> Role? {
        guard sample.hasPrefix(name) else { return nil }
        let suffix = sample.dropFirst(name.count)
        return switch (type ?? .unknown, suffix, syntax) {
        case (.counter, "_total", .openMetrics), (.info, "_info", .openMetrics): .value
        case (.counter, "", .text): .value
        case (.gauge, "", _), (.unknown, "", _), (.stateSet, "", _): .value
        case (.histogram, "_bucket", _), (.gaugeHistogram, "_bucket", _): .bucket
        case (.histogram, "_sum", _), (.summary, "_sum", _), (.gaugeHistogram, "_gsum", _): .sum
        case (.histogram, "_count", _), (.summary, "_count", _), (.gaugeHistogram, "_gcount", _): .count
        case (.summary, "", _): .quantile
        case (.counter, "_created", .openMetrics), (.histogram, "_created", .openMetrics),
            (.summary, "_created", .openMetrics):
            .created
        default: nil
        }
    }

    /// Adds a sample.
    mutating func add(_ sample: ParsedSample, as role: Role) throws(ScanFault) {
        var sample = sample
        if sample.exemplar != nil { try checkExemplar(of: sample, role) }
        var bound = 0.0
        switch role {
        case .bucket: bound = try sample.removeBound("le", isCanonical: syntax == .openMetrics)
        case .quantile: bound = try sample.removeBound("quantile", isCanonical: syntax == .openMetrics)
        case .value, .sum, .count, .created: break
        }
        let pairs = sample.labels
        let labels = try ScanFault.wrapping(.labels) { () throws(MetricError) in try LabelSet(pairs) }
        let index = try point(of: Key(labels: labels, timestamp: sample.timestamp))
        let isRepeatable = syntax == .openMetrics && sample.timestamp != nil
        try points[index].add(sample, as: role, bound: bound, isRepeatable: isRepeatable)
    }

    /// The finished family.
    func build() throws(ScanFault) -> MetricFamily {
        let type = type ?? .unknown
        var fullName = name
        if syntax == .openMetrics {
            if type == .counter { fullName += "_total" }
            if type == .info { fullName += "_info" }
        }
        let (familyName, familyUnit) = (fullName, unit == "" ? nil : unit)
        let descriptor = try ScanFault.wrapping(.metadata) { () throws(MetricError) in
            try MetricDescriptor(name: familyName, help: help ?? "", type: type, unit: familyUnit)
        }
        var metrics: [Metric] = []
        metrics.reserveCapacity(points.count)
        for point in points {
            var metric = try point.metric(of: type, syntax)
            if let fault = MetricCheck.fault(in: metric, of: descriptor) {
                throw ScanFault(fault.code == .invalidValue ? .value : .labels, fault.description)
            }
            metric.timestamp = point.timestamp
            if let created = point.created { metric.created = created }
            metrics.append(metric)
        }
        return MetricFamily(descriptor, metrics)
    }

    private func checkExemplar(of sample: ParsedSample, _ role: Role) throws(ScanFault) {
        guard role == .bucket || (role == .value && type == .counter) else {
            throw ScanFault(.exemplar, "\(sample.name) cannot have an exemplar")
        }
    }

    /// The point of a sample. OpenMetrics requires the samples of a metric to be contiguous, and its points to be in
    /// chronological order.
    private mutating func point(of key: Key) throws(ScanFault) -> Int {
        if let index = indices[key] {
            guard syntax == .text || index == points.count - 1 else {
                throw ScanFault(.grouping, "the samples of \(name)\(key.labels) are not contiguous")
            }
            return index
        }
        if syntax == .openMetrics, let last = lastTimestamps[key.labels] {
            guard points.last?.labels == key.labels else {
                throw ScanFault(.grouping, "the samples of \(name)\(key.labels) are not contiguous")
            }
            guard let last, let timestamp = key.timestamp, last < timestamp else {
                throw ScanFault(.timestamp, "the timestamps of \(name)\(key.labels) do not ascend")
            }
        }
        if syntax == .openMetrics { lastTimestamps[key.labels] = .some(key.timestamp) }
        points.append(MetricPoint(labels: key.labels, timestamp: key.timestamp))
        indices[key] = points.count - 1
        return points.count - 1
    }
}
