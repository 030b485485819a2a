// SPDX-License-Identifier: MIT

/// All metrics of one name.
public struct MetricFamily: Sendable, Hashable {
    /// What the family is.
    public let descriptor: MetricDescriptor
    /// Its members.
    public var metrics: [Metric] {
        get { members }
        // Not an observer, with which each `append` would copy the whole array.
        _modify {
            soundness = Soundness(isKnown: false)
            yield &members
        }
    }
    private var members: [Metric]
    private var soundness: Soundness
    /// Whether the metrics are known to fit the descriptor, and to be sorted without duplicates.
    var isSound: Bool { soundness.isKnown }

    /// What is known about a family; it makes no difference between two of them.
    private struct Soundness: Sendable, Hashable {
        let isKnown: Bool

        static func == (lhs: Self, rhs: Self) -> Bool { true }
        func hash(into hasher: inout Hasher) {}
    }

    /// Creates a family.
    public init(_ descriptor: MetricDescriptor, _ metrics: [Metric]) {
        self.descriptor = descriptor
        members = metrics
        soundness = Soundness(isKnown: false)
    }

    /// Creates a family of metrics that are known to fit, and to be sorted without duplicates.
    init(sound descriptor: MetricDescriptor, _ metrics: [Metric]) {
        self.descriptor = descriptor
        members = metrics
        soundness = Soundness(isKnown: true)
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
    /// The unit; nil for none.
    package var unit: String? { descriptor.unit }
}

extension MetricFamily {
    /// Whether both are certainly the same, found out without a look at their metrics: they share them in memory.
    ///
    /// While both are kept, neither array can be written to without being copied first, so that one address means one
    /// content. The same content in two places is not noticed.
    func isIdentical(to other: MetricFamily) -> Bool {
        let isShared = metrics.withUnsafeBufferPointer { left in
            other.metrics.withUnsafeBufferPointer { right in
                !left.isEmpty && left.baseAddress == right.baseAddress && left.count == right.count
            }
        }
        return isShared && descriptor == other.descriptor
    }
}
