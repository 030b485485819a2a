// SPDX-License-Identifier: MIT

/// All metrics of one name.
public struct MetricFamily: Sendable, Hashable {
    /// What the family is.
    public let descriptor: MetricDescriptor
    /// Its members.
    public var metrics: [Metric] {
        didSet { isSound = false }
    }
    /// Whether the metrics are known to fit the descriptor, and to be sorted without duplicates.
    private(set) var isSound: Bool

    /// Creates a family.
    public init(_ descriptor: MetricDescriptor, _ metrics: [Metric]) {
        self.descriptor = descriptor
        self.metrics = metrics
        isSound = false
    }

    /// Creates a family of metrics that are known to fit, and to be sorted without duplicates.
    init(sound descriptor: MetricDescriptor, _ metrics: [Metric]) {
        self.descriptor = descriptor
        self.metrics = metrics
        isSound = true
    }

    /// Whether descriptor and metrics are the same.
    public static func == (lhs: MetricFamily, rhs: MetricFamily) -> Bool {
        lhs.descriptor == rhs.descriptor && lhs.metrics == rhs.metrics
    }

    /// Hashes descriptor and metrics.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(descriptor)
        hasher.combine(metrics)
    }

    /// Creates a family of one number without labels.
    public init(_ descriptor: MetricDescriptor, value: Double) {
        self.init(descriptor, [Metric(value: value)])
    }

    /// The name of its samples in the text format 0.0.4.
    public var name: String { descriptor.name }
    /// One sentence on what is measured.
    package var help: String { descriptor.help }
    /// The kind of series.
    public var type: MetricType { descriptor.type }
    /// The unit; nil when it is not told.
    package var unit: String? { descriptor.unit }
}
