// SPDX-License-Identifier: MIT

import Synchronization
package import WPCore

/// Counters with the same name, distinguished by labels.
public typealias CounterFamily = InstrumentFamily<Counter>
/// Gauges with the same name, distinguished by labels.
public typealias GaugeFamily = InstrumentFamily<Gauge>
/// Histograms with the same name, distinguished by labels.
public typealias HistogramFamily = InstrumentFamily<Histogram>
/// Summaries with the same name, distinguished by labels.
public typealias SummaryFamily = InstrumentFamily<Summary>

/// Instruments with the same name, distinguished by the values of fixed labels.
///
/// Keep a reference to a frequently used child. Create children with known labels in advance with `prepare(_:)`, so
/// that their series start at 0.
public final class InstrumentFamily<Child: Instrument>: ImmediateCollector {
    /// The descriptor of the family.
    package let descriptor: MetricDescriptor
    /// The label names in the order of the values of `with(_:)`.
    public let labelNames: [String]
    /// The maximum number of children, so that untrusted labels cannot exhaust memory.
    package let maximumChildren: Int

    /// The indices of ``labelNames`` in the order of the names.
    private let sortedOrder: [Int]

    private let make: @Sendable () -> Child
    private let metric: @Sendable (Child, LabelSet) -> Metric
    private let children = Mutex(Children())

    private let creationClock: (any TimeSource)?

    private struct Children {
        var byLabels: [LabelSet: Child] = [:] {
            didSet { readers = nil }
        }
        /// Functions that return the metrics of the children, sorted by labels; nil after a change.
        var readers: [@Sendable () -> Metric]?
        /// The creation time of each child; empty if creation times are not exposed.
        var created: [LabelSet: Double] = [:]
    }

    /// Creates a family without children.
    /// - Parameters:
    ///   - descriptor: the descriptor, with the type of the children.
    ///   - labelNames: the names in the order of the values of `with(_:)`; nil for the descriptor's order.
    ///   - maximumChildren: the maximum number of children.
    ///   - creationClock: the clock for ``Metric/created``; nil not to expose creation times.
    ///   - make: creates a child.
    /// - Throws: ``MetricError`` if the descriptor has another type or other labels.
    package init(
        _ descriptor: MetricDescriptor,
        labelNames: [String]? = nil,
        maximumChildren: Int = 10_000,
        creationClock: (any TimeSource)? = nil,
        make: @escaping @Sendable () -> Child
    ) throws(MetricError) where Child: ExposedInstrument {
        guard descriptor.type == Child.type else {
            throw MetricError(
                .typeMismatch,
                subject: descriptor.name,
                "\(descriptor.name) is declared as \(descriptor.type) but made of \(Child.type) instruments"
            )
        }
        let declared = descriptor.labelNames ?? []
        guard (labelNames ?? declared).sorted() == declared else {
            throw MetricError(
                .labelMismatch,
                subject: descriptor.name,
                "the label names of \(descriptor.name) are not the declared ones (\(declared.joined(separator: ", ")))"
            )
        }
        self.descriptor = descriptor
        let names = labelNames ?? declared
        self.labelNames = names
        sortedOrder = names.indices.sorted { names[$0] < names[$1] }
        self.maximumChildren = max(1, maximumChildren)
        self.creationClock = creationClock
        self.make = make
        metric = { $0.metric(labels: $1) }
    }

    /// The child with these labels, in any order, for example `requests.with(["handler": "basket", "code": "200"])`.
    /// Creates it if it does not exist.
    /// - Throws: ``MetricError`` if a label is missing, unknown or repeated, or there are too many children.
    public func with(_ labels: KeyValuePairs<String, String>) throws(MetricError) -> Child {
        try with(values: values(of: labels))
    }

    /// The child with these label values. Creates it if it does not exist.
    /// - Parameter values: in the order of ``labelNames``.
    /// - Throws: ``MetricError`` if the number of values differs from the number of labels, or there are too many
    ///   children.
    public func with(_ values: String...) throws(MetricError) -> Child {
        try with(values: values)
    }

    /// The child with these label values. Creates it if it does not exist.
    /// - Parameter values: in the order of ``labelNames``.
    /// - Throws: ``MetricError`` if the number of values differs from the number of labels, or there are too many
    ///   children.
    public func with(values: [String]) throws(MetricError) -> Child {
        let labels = try labelSet(values)
        return try children.withLock { (children) throws(MetricError) in
            if let child = children.byLabels[labels] { return child }
            guard children.byLabels.count < maximumChildren else {
                throw MetricError(
                    .tooManyChildren,
                    subject: descriptor.name,
                    "\(descriptor.name) has the maximum of \(maximumChildren) children: use labels with fewer values"
                )
            }
            let child = make()
            children.byLabels[labels] = child
            if let creationClock { children.created[labels] = creationClock.now.secondsSince1970 }
            return child
        }
    }

    /// Creates children, so that their series start at 0.
    /// - Parameter rows: the label values of each child, in the order of ``labelNames``.
    /// - Throws: ``MetricError`` as ``with(_:)-(String...)`` does.
    public func prepare(_ rows: [[String]]) throws(MetricError) {
        for row in rows { _ = try with(values: row) }
    }

    /// Creates children, so that their series start at 0.
    /// - Parameter rows: the labels of each child, in any order.
    /// - Throws: ``MetricError`` as ``with(_:)-(KeyValuePairs<String,String>)`` does.
    public func prepare(_ rows: [KeyValuePairs<String, String>]) throws(MetricError) {
        for row in rows { _ = try with(row) }
    }

    /// Removes a child: it is no longer exposed.
    /// - Parameter values: in the order of ``labelNames``.
    /// - Returns: whether it existed.
    @discardableResult
    public func remove(_ values: String...) -> Bool {
        // lint: no child has a different number of labels
        (try? labelSet(values)).map(remove) ?? false
    }

    /// Removes a child: it is no longer exposed.
    /// - Parameter labels: its labels, in any order.
    /// - Returns: whether it existed.
    @discardableResult
    public func remove(_ labels: KeyValuePairs<String, String>) -> Bool {
        // lint: no child has other labels
        (try? labelSet(values(of: labels))).map(remove) ?? false
    }

    /// Removes the child with these label values, in the order of ``labelNames``; it is no longer exposed.
    package func remove(values: [String]) {
        // lint: no child has a different number of labels
        if let labels = try? labelSet(values) { _ = remove(labels) }
    }

    private func remove(_ labels: LabelSet) -> Bool {
        children.withLock { children in
            children.created[labels] = nil
            return children.byLabels.removeValue(forKey: labels) != nil
        }
    }

    /// Removes all children.
    public func removeAll() {
        children.withLock { $0 = Children() }
    }

    /// The number of children.
    package var count: Int { children.withLock { $0.byLabels.count } }

    /// The single family.
    public var descriptors: [MetricDescriptor] { [descriptor] }

    /// The state of all children.
    public func collectNow() -> [MetricFamily] {
        let readers = children.withLock { children in
            let readers = children.readers ?? self.readers(of: children)
            children.readers = readers
            return readers
        }
        return [MetricFamily(valid: descriptor, readers.map { $0() })]
    }

    private func readers(of children: Children) -> [@Sendable () -> Metric] {
        children.byLabels.sorted { $0.key < $1.key }.map { labels, child in
            { [metric, created = children.created[labels]] in
                var metric = metric(child, labels)
                if let created { metric.created = created }
                return metric
            }
        }
    }

    /// Label values in the order of ``labelNames``.
    private func values(of labels: KeyValuePairs<String, String>) throws(MetricError) -> [String] {
        let values = labelNames.compactMap { name in labels.first { $0.key == name }?.value }
        guard values.count == labelNames.count, labels.count == labelNames.count else {
            throw mismatch(labels.map(\.key))
        }
        return values
    }

    private func mismatch(_ given: [String]) -> MetricError {
        let missing = labelNames.filter { !given.contains($0) }
        let unknown = given.filter { !labelNames.contains($0) }
        let repeated = labelNames.filter { name in given.count { $0 == name } > 1 }
        let faults = [("missing", missing), ("unknown", unknown), ("repeated", repeated)]
            .filter { !$0.1.isEmpty }
            .map { "\($0): \($1.joined(separator: ", "))" }
        return MetricError(
            .labelMismatch,
            subject: descriptor.name,
            "\(descriptor.name) has \(labelNames.isEmpty ? "no labels" : "the labels " + labelNames.joined(separator: ", "))"
                + " but was given other labels (\(faults.joined(separator: "; ")))"
        )
    }

    private func labelSet(_ values: [String]) throws(MetricError) -> LabelSet {
        guard values.count == labelNames.count else {
            throw MetricError(
                .labelMismatch,
                subject: descriptor.name,
                "\(descriptor.name) has the labels \(labelNames) and was given \(values.count) values"
            )
        }
        return LabelSet(sorted: sortedOrder.map { Label(labelNames[$0], values[$0]) })
    }
}
