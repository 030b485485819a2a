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

    // Loops, because `map` takes many times as long where the type of the subject is only known at run time.

    /// The family with a sample for each subject that has a value.
    package func family(of subjects: [Labelled<Subject>]) -> MetricFamily {
        var metrics: [Metric] = []
        for entry in subjects {
            if let value = value(entry.subject) { metrics.append(Metric(labels: entry.labels, value: value)) }
        }
        return MetricFamily(descriptor, metrics)
    }

    /// The family with the sample of one subject without labels, if it has a value.
    func family(of subject: Subject) -> MetricFamily {
        guard let value = value(subject) else { return MetricFamily(descriptor, []) }
        return MetricFamily(descriptor, value: value)
    }
}

/// Families whose samples describe the same subjects, which are derived from a state.
package struct FamilyRows<State>: Sendable {
    let descriptors: [MetricDescriptor]
    let families: @Sendable (State) throws -> [MetricFamily]

    /// Families with one sample, without labels.
    package init(_ rows: [FamilyRow<State>]) {
        descriptors = rows.map(\.descriptor)
        families = { state in
            var families: [MetricFamily] = []
            for row in rows { families.append(row.family(of: state)) }
            return families
        }
    }

    /// Families with a sample for each subject.
    package init<Subject>(
        _ rows: [FamilyRow<Subject>],
        of subjects: @escaping @Sendable (State) throws -> [Labelled<Subject>]
    ) {
        descriptors = rows.map(\.descriptor)
        families = { state in
            let subjects = try subjects(state)
            var families: [MetricFamily] = []
            for row in rows { families.append(row.family(of: subjects)) }
            return families
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
        var families: [MetricFamily] = []
        for group in groups { families += try group.families(state) }
        return families
    }
}
