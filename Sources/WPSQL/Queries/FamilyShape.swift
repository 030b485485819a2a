// SPDX-License-Identifier: MIT

import WPMetrics

/// Maps a metric of a file to a metric family.
enum FamilyShape {
    /// The default buckets of prometheus_client for Python, which query-exporter uses.
    static let standardBuckets = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

    static func type(of kind: QueryFile.Metric.Kind) -> MetricType {
        switch kind {
        case .counter: .counter
        case .gauge: .gauge
        case .histogram: .histogram
        case .summary: .summary
        case .enumeration: .stateSet
        }
    }

    static func descriptor(
        _ metric: QueryFile.Metric,
        databaseLabels: [String]
    ) throws(MetricError) -> MetricDescriptor {
        let state = metric.kind == .enumeration ? [metric.name] : []
        return try MetricDescriptor(
            name: metric.exposedName,
            help: metric.help,
            type: type(of: metric.kind),
            labelNames: ["database"] + databaseLabels + metric.labels + state
        )
    }
}

extension QueryFile.Metric {
    /// Whether results of another metric are valid for this one: everything but the help text is equal.
    func hasShape(of other: QueryFile.Metric) -> Bool {
        var same = other
        same.help = help
        return self == same
    }

    /// Whether rows accumulate, so that a missing row does not remove a series.
    var accumulates: Bool {
        switch kind {
        case .histogram, .summary: true
        case .counter: increments
        case .gauge, .enumeration: false
        }
    }
}

/// The accumulated rows of a series.
struct Accumulator: Sendable {
    private var counts: [UInt64]
    private(set) var sum = 0.0
    private(set) var count: UInt64 = 0
    var lastSeen: Duration

    init(bounds: Int, at now: Duration) {
        counts = Array(repeating: 0, count: bounds + 1)
        lastSeen = now
    }

    mutating func add(_ value: Double, bounds: [Double]) {
        sum += value
        count += 1
        if counts.count > 1 { counts[bounds.firstIndex { value <= $0 } ?? bounds.count] += 1 }
    }

    func metric(_ labels: LabelSet, _ metric: QueryFile.Metric, bounds: [Double]) -> Metric? {
        switch metric.kind {
        case .histogram:
            var total: UInt64 = 0
            let buckets = zip(bounds + [.infinity], counts).map { bound, count in
                total += count
                return HistogramValue.Bucket(upperBound: bound, cumulativeCount: total)
            }
            // lint: a sum of database values may be infinite
            return (try? HistogramValue(buckets: buckets, sum: sum)).map { Metric(labels: labels, .histogram($0)) }
        case .summary:
            // lint: a sum of database values may be infinite
            return (try? SummaryValue(sum: sum, count: count)).map { Metric(labels: labels, .summary($0)) }
        case .counter, .gauge, .enumeration: return Metric(labels: labels, value: sum)
        }
    }
}
