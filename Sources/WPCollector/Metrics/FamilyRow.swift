// SPDX-License-Identifier: MIT

import WPMetrics

/// A subject of samples, with its labels.
typealias Labelled<Subject> = (labels: LabelSet, subject: Subject)

/// A family of device metrics: its descriptor, and how to compute a sample's value.
struct FamilyRow<Subject>: Sendable {
    let descriptor: MetricDescriptor
    let value: @Sendable (Subject) -> Double?

    /// - Parameters:
    ///   - base: the labels that identify the device.
    ///   - labels: the additional labels of the family.
    ///   - value: returns a sample's value; nil for no sample.
    init(
        _ name: String,
        _ help: String,
        type: MetricType = .gauge,
        unit: String? = nil,
        base: [String] = DeviceLabels.names,
        labels: [String] = [],
        _ value: @escaping @Sendable (Subject) -> Double?
    ) throws(MetricError) {
        descriptor = try MetricDescriptor(
            name: name,
            help: help,
            type: type,
            unit: unit,
            labelNames: base + labels
        )
        self.value = value
    }

    /// The family with a sample for each subject that has a value.
    func family(of subjects: [Labelled<Subject>]) -> MetricFamily {
        MetricFamily(
            descriptor,
            subjects.compactMap { entry in value(entry.subject).map { Metric(labels: entry.labels, value: $0) } }
        )
    }
}
