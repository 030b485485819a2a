// SPDX-License-Identifier: MIT

/// What one metric shows at one moment.
public enum MetricValue: Sendable, Hashable {
    /// The number of a counter, gauge, info, state set or unknown.
    case value(Double)
    /// The buckets of a histogram.
    indirect case histogram(HistogramValue)
    /// The quantiles of a summary.
    indirect case summary(SummaryValue)
}

/// One member of a family: its labels and what it shows. It is constant: made for one gather and never changed.
public struct Metric: Sendable, Hashable {
    /// The labels that distinguish it from the others of its family.
    public var labels: LabelSet
    /// What it shows.
    public var value: MetricValue
    /// When the value was true, in seconds since 1970; nil, as it nearly always should be, for the time of the scrape.
    /// The text format 0.0.4 keeps milliseconds of it.
    public var timestamp: Double?
    /// What few metrics have; nil when there is nothing of it.
    private var extras: Extras?

    /// An observation that went into a counter; nil for none. Histograms have theirs in the buckets.
    public var exemplar: Exemplar? {
        get { extras?.exemplar }
        set { extras = Extras(exemplar: newValue, created: extras?.created) }
    }

    /// When a counter, histogram or summary began to count, in seconds since 1970; nil not to expose it. OpenMetrics
    /// shows it as the sample `_created`; the text format does not.
    public var created: Double? {
        get { extras?.created }
        set { extras = Extras(exemplar: extras?.exemplar, created: newValue) }
    }

    /// Creates a metric of one number.
    /// - Parameters:
    ///   - labels: what distinguishes it from the others of its family.
    ///   - value: the number.
    ///   - timestamp: when it was true, in seconds since 1970; nil for the time of the scrape.
    ///   - exemplar: an observation that went into a counter.
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
    ///   - labels: what distinguishes it from the others of its family.
    ///   - value: what it shows.
    ///   - timestamp: when it was true, in seconds since 1970; nil for the time of the scrape.
    ///   - exemplar: an observation that went into a counter.
    public init(labels: LabelSet = .empty, _ value: MetricValue, timestamp: Double? = nil, exemplar: Exemplar? = nil) {
        self.labels = labels
        self.value = value
        self.timestamp = timestamp
        extras = exemplar.map { Extras($0) }
    }

    /// Whether there is neither an exemplar nor a creation time.
    var hasNoExtras: Bool { extras == nil }

    // A reference, so that the many metrics without any pay eight bytes for it.
    private final class Extras: Sendable, Hashable {
        let exemplar: Exemplar?
        let created: Double?

        init(_ exemplar: Exemplar) {
            self.exemplar = exemplar
            created = nil
        }

        init?(exemplar: Exemplar?, created: Double?) {
            guard exemplar != nil || created != nil else { return nil }
            self.exemplar = exemplar
            self.created = created
        }

        static func == (lhs: Extras, rhs: Extras) -> Bool {
            lhs.exemplar == rhs.exemplar && lhs.created == rhs.created
        }

        func hash(into hasher: inout Hasher) {
            hasher.combine(exemplar)
            hasher.combine(created)
        }
    }
}

extension Metric {
    /// One metric per state, 1 for the active one and 0 for the others: for a family of type ``MetricType/stateSet``,
    /// whose label has the name of the family, or for a gauge that shows a state in the same way.
    /// - Parameters:
    ///   - states: all states; each gets a sample, so that the end of a state is visible.
    ///   - active: the state that holds; nil when none does.
    ///   - label: the label that names the state.
    ///   - labels: the other labels.
    /// - Throws: ``MetricError`` when the label is invalid or among the others.
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

    /// The metric of a family of type ``MetricType/info``: a constant 1 whose labels hold the information.
    public static func info(_ labels: LabelSet) -> Metric {
        Metric(labels: labels, value: 1)
    }
}
