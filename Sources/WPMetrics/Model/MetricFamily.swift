// SPDX-License-Identifier: MIT

/// All metrics of one name.
public struct MetricFamily: Sendable, Hashable {
    /// What the family is.
    public let descriptor: MetricDescriptor
    /// Its members.
    public var metrics: [Metric]

    /// Creates a family.
    public init(_ descriptor: MetricDescriptor, _ metrics: [Metric]) {
        self.descriptor = descriptor
        self.metrics = metrics
    }

    /// Creates a family of one number without labels.
    public init(_ descriptor: MetricDescriptor, value: Double) {
        self.init(descriptor, [Metric(value: value)])
    }

    /// The name of its samples in the text format 0.0.4.
    public var name: String { descriptor.name }
    /// One sentence on what is measured.
    public var help: String { descriptor.help }
    /// The kind of series.
    public var type: MetricType { descriptor.type }
    /// The unit; nil when it is not told.
    public var unit: String? { descriptor.unit }
}
