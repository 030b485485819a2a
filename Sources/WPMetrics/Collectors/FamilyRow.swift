// SPDX-License-Identifier: MIT

/// A subject of samples, with its labels.
package typealias Labelled<Subject> = (labels: LabelSet, subject: Subject)

/// A family of metrics: its descriptor, and a function that computes a sample's value from a subject.
package struct FamilyRow<Subject>: Sendable {
    package let descriptor: MetricDescriptor
    package let value: @Sendable (Subject) -> Double?

    /// - Parameters:
    ///   - labels: the names of the labels.
    ///   - value: returns a sample's value; nil for no sample.
    package init(
        _ name: String,
        _ help: String,
        type: MetricType = .gauge,
        unit: String? = nil,
        labels: [String] = [],
        _ value: @escaping @Sendable (Subject) -> Double?
    ) throws(MetricError) {
        descriptor = try MetricDescriptor(name: name, help: help, type: type, unit: unit, labelNames: labels)
        self.value = value
    }

    /// The family with a sample for each subject that has a value.
    package func family(of subjects: [Labelled<Subject>]) -> MetricFamily {
        MetricFamily(
            descriptor,
            subjects.compactMap { entry in value(entry.subject).map { Metric(labels: entry.labels, value: $0) } }
        )
    }
}

/// Families whose samples describe the same subjects, which are derived from a state.
package struct FamilyRows<State>: Sendable {
    let descriptors: [MetricDescriptor]
    let families: @Sendable (State) throws -> [MetricFamily]

    /// Families with one sample, without labels.
    package init(_ rows: [FamilyRow<State>]) {
        self.init(rows) { [(.empty, $0)] }
    }

    /// Families with a sample for each subject.
    package init<Subject>(
        _ rows: [FamilyRow<Subject>],
        of subjects: @escaping @Sendable (State) throws -> [Labelled<Subject>]
    ) {
        descriptors = rows.map(\.descriptor)
        families = { state in
            let subjects = try subjects(state)
            return rows.map { $0.family(of: subjects) }
        }
    }
}

/// Collects families from a state that is read once per gather.
package final class RowCollector<State>: ImmediateCollector {
    private let groups: [FamilyRows<State>]
    private let state: @Sendable () -> State?

    /// - Parameter state: returns the current state; nil for no samples. Must not block.
    package init(_ groups: [FamilyRows<State>], state: @escaping @Sendable () -> State?) {
        (self.groups, self.state) = (groups, state)
    }

    package var descriptors: [MetricDescriptor] { groups.flatMap(\.descriptors) }

    package func collectNow() throws -> [MetricFamily] {
        guard let state = state() else { return [] }
        return try groups.flatMap { try $0.families(state) }
    }
}
