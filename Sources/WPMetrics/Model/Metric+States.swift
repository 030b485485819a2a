// SPDX-License-Identifier: MIT

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
