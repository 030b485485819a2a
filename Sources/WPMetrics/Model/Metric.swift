// SPDX-License-Identifier: MIT

/// The value of a metric at one moment.
public enum MetricValue: Sendable, Hashable {
    /// The number of a counter, gauge, info, state set or unknown.
    case value(Double)
    /// The buckets of a histogram.
    indirect case histogram(HistogramValue)
    /// The quantiles of a summary.
    indirect case summary(SummaryValue)
}

/// A member of a family: labels and a value. Created for one gather.
public struct Metric: Sendable, Hashable {
    /// The labels that identify it in its family.
    public var labels: LabelSet
    /// Its value.
    public var value: MetricValue
    /// The time of the value in seconds since 1970; nil, usually, for the time of the scrape. The text format 0.0.4 has
    /// millisecond resolution.
    public var timestamp: Double?
    /// Rarely used attributes; nil if there are none.
    private var extras: Extras?

    /// An exemplar of a counter; nil for none. The exemplars of a histogram are in its buckets.
    public var exemplar: Exemplar? {
        get { rareAttributes.exemplar }
        set { rareAttributes.exemplar = newValue }
    }

    /// The start of a counter, histogram or summary in seconds since 1970; nil not to expose it. Only OpenMetrics
    /// exposes it, as the sample `_created`.
    public var created: Double? {
        get { rareAttributes.created }
        set { rareAttributes.created = newValue }
    }

    /// Creates a metric of one number.
    /// - Parameters:
    ///   - labels: the labels that identify it in its family.
    ///   - value: the number.
    ///   - timestamp: the time of the value in seconds since 1970; nil for the time of the scrape.
    ///   - exemplar: an exemplar of a counter.
    public init(
        labels: LabelSet = .empty,
        value: Double,
        timestamp: Double? = nil,
        exemplar: Exemplar? = nil
    ) {
        self.init(labels: labels, .value(value), timestamp: timestamp, exemplar: exemplar)
    }

    /// Creates a metric.
    /// - Parameters:
    ///   - labels: the labels that identify it in its family.
    ///   - value: its value.
    ///   - timestamp: the time of the value in seconds since 1970; nil for the time of the scrape.
    ///   - exemplar: an exemplar of a counter.
    public init(labels: LabelSet = .empty, _ value: MetricValue, timestamp: Double? = nil, exemplar: Exemplar? = nil) {
        self.labels = labels
        self.value = value
        self.timestamp = timestamp
        extras = exemplar.map { .extras(exemplar: $0, created: nil) }
    }

    private var rareAttributes: (exemplar: Exemplar?, created: Double?) {
        get {
            guard case .extras(let exemplar, let created) = extras else { return (nil, nil) }
            return (exemplar, created)
        }
        set {
            let isEmpty = newValue.exemplar == nil && newValue.created == nil
            extras = isEmpty ? nil : .extras(exemplar: newValue.exemplar, created: newValue.created)
        }
    }

    /// Whether there is neither an exemplar nor a creation time.
    var hasNoExtras: Bool { extras == nil }

    // Indirect, so that metrics without extras need only eight bytes.
    private indirect enum Extras: Sendable, Hashable {
        case extras(exemplar: Exemplar?, created: Double?)
    }
}

extension Metric {
    /// One metric per state, 1 for the active one and 0 for the others: for a family of type ``MetricType/stateSet``,
    /// whose label has the name of the family, or for a gauge that shows a state in the same way.
    /// - Parameters:
    ///   - states: all states; each gets a sample, so that leaving a state is visible.
    ///   - active: the active state; nil for none.
    ///   - label: the label that names the state.
    ///   - labels: the other labels.
    /// - Throws: ``MetricError`` if the label is invalid, or is one of the others.
    public static func states(
        _ states: [String],
        active: String?,
        label: String,
        labels: LabelSet = .empty
    ) throws(MetricError) -> [Metric] {
        var metrics: [Metric] = []
        for state in states {
            metrics.append(Metric(labels: try labels.adding(label, state), value: state == active ? 1 : 0))
        }
        return metrics
    }

    /// The metric of a family of type ``MetricType/info``: a constant 1 whose labels contain the information.
    public static func info(_ labels: LabelSet) -> Metric {
        Metric(labels: labels, value: 1)
    }
}
