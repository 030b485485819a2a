// SPDX-License-Identifier: MIT

/// All metrics with the same name.
public struct MetricFamily: Sendable, Hashable {
    /// The descriptor of the family.
    public let descriptor: MetricDescriptor
    /// Its members.
    public var metrics: [Metric] {
        get { members }
        // Not `didSet`: each `append` would copy the whole array.
        _modify {
            validity = Validity(isKnown: false)
            yield &members
        }
    }
    private var members: [Metric]
    private var validity: Validity
    /// Whether the metrics are known to match the descriptor, and to be sorted without duplicates.
    var isKnownValid: Bool { validity.isKnown }

    /// Validation state, ignored by comparison.
    private struct Validity: Sendable, Hashable {
        let isKnown: Bool

        static func == (lhs: Self, rhs: Self) -> Bool { true }
        func hash(into hasher: inout Hasher) {}
    }

    /// Creates a family.
    public init(_ descriptor: MetricDescriptor, _ metrics: [Metric]) {
        self.descriptor = descriptor
        members = metrics
        validity = Validity(isKnown: false)
    }

    /// Creates a family from metrics that are valid, sorted and without duplicates.
    init(valid descriptor: MetricDescriptor, _ metrics: [Metric]) {
        self.descriptor = descriptor
        members = metrics
        validity = Validity(isKnown: true)
    }

    /// Creates a family with one number and no labels.
    public init(_ descriptor: MetricDescriptor, value: Double) {
        self.init(descriptor, [Metric(value: value)])
    }

    /// The name of its samples in the text format 0.0.4.
    public var name: String { descriptor.name }
    /// One sentence on what is measured.
    package var help: String { descriptor.help }
    /// The kind of series.
    public var type: MetricType { descriptor.type }
    /// The unit; nil for none.
    package var unit: String? { descriptor.unit }
}
