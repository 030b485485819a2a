// SPDX-License-Identifier: MIT

import Synchronization

/// Counters of one name, told apart by labels.
public typealias CounterFamily = InstrumentFamily<Counter>
/// Gauges of one name, told apart by labels.
public typealias GaugeFamily = InstrumentFamily<Gauge>
/// Histograms of one name, told apart by labels.
public typealias HistogramFamily = InstrumentFamily<Histogram>
/// Summaries of one name, told apart by labels.
public typealias SummaryFamily = InstrumentFamily<Summary>

/// Instruments of one name, told apart by the values of fixed labels.
///
/// Ask once for a child that is used often and keep it. Ask at the start for children whose labels are known, so that
/// their series begin with 0 and not with their first event.
public final class InstrumentFamily<Child: Instrument>: ImmediateCollector {
    /// What the family is.
    public let descriptor: MetricDescriptor
    /// The label names in the order in which ``with(_:)`` takes their values.
    public let labelNames: [String]
    /// The most children that the family may have, so that labels from outside cannot exhaust memory.
    public let maximumChildren: Int

    private let make: @Sendable () -> Child
    private let children = Mutex(Children())
    let cache = FamilyCache()
    private let isSound = Child.self is any SoundInstrument.Type

    private let creationClock: (@Sendable () -> Double)?

    private struct Children {
        var byLabels: [LabelSet: Child] = [:] {
            didSet { sorted = nil }
        }
        /// The same in the order of an exposition, and what tells their state; nil since a child came or went.
        var sorted: (rows: [(labels: LabelSet, child: Child)], appendState: FamilyCache.AppendState)?
        /// When each was made; none when that is not told.
        var created: [LabelSet: Double] = [:]
    }

    /// Creates a family without children.
    /// - Parameters:
    ///   - descriptor: what the family is; its type must be that of the children.
    ///   - labelNames: the names in the order in which ``with(_:)`` takes the values; nil for the descriptor's order.
    ///   - maximumChildren: the most children that the family may have.
    ///   - creationClock: tells the time at which a child is made, for ``Metric/created``; nil not to tell it.
    ///   - make: makes a child.
    /// - Throws: ``MetricError`` when the descriptor's type or labels are other ones.
    public init(
        _ descriptor: MetricDescriptor,
        labelNames: [String]? = nil,
        maximumChildren: Int = 10_000,
        creationClock: (@Sendable () -> Double)? = nil,
        make: @escaping @Sendable () -> Child
    ) throws(MetricError) {
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
        self.labelNames = labelNames ?? declared
        self.maximumChildren = max(1, maximumChildren)
        self.creationClock = creationClock
        self.make = make
    }

    /// The child with these label values, which is made when it is not there.
    /// - Parameter values: in the order of ``labelNames``.
    /// - Throws: ``MetricError`` when there are more or fewer values than labels, or too many children.
    public func with(_ values: String...) throws(MetricError) -> Child {
        try with(values: values)
    }

    /// The child with these label values, which is made when it is not there.
    /// - Parameter values: in the order of ``labelNames``.
    /// - Throws: ``MetricError`` when there are more or fewer values than labels, or too many children.
    public func with(values: [String]) throws(MetricError) -> Child {
        let labels = try labelSet(values)
        return try children.withLock { (children) throws(MetricError) in
            if let child = children.byLabels[labels] { return child }
            guard children.byLabels.count < maximumChildren else {
                throw MetricError(
                    .tooManyChildren,
                    subject: descriptor.name,
                    "\(descriptor.name) has \(maximumChildren) children and takes no more: use labels of fewer values"
                )
            }
            let child = make()
            children.byLabels[labels] = child
            cache.noteChange()
            if let creationClock { children.created[labels] = creationClock() }
            return child
        }
    }

    /// Makes children, so that their series start at 0.
    /// - Parameter rows: the label values of each, in the order of ``labelNames``.
    /// - Throws: ``MetricError`` as ``with(_:)`` does.
    public func prepare(_ rows: [[String]]) throws(MetricError) {
        for row in rows { _ = try with(values: row) }
    }

    /// Takes a child away: it is exposed no more.
    /// - Returns: whether it was there.
    @discardableResult
    public func remove(_ values: String...) -> Bool {
        guard let labels = try? labelSet(values) else { return false }
        return children.withLock { children in
            children.created[labels] = nil
            cache.noteChange()
            return children.byLabels.removeValue(forKey: labels) != nil
        }
    }

    /// Takes all children away.
    public func removeAll() {
        children.withLock { children in
            children = Children()
            cache.noteChange()
        }
    }

    /// The number of children.
    public var count: Int { children.withLock { $0.byLabels.count } }

    /// The family alone.
    public var descriptors: [MetricDescriptor] { [descriptor] }

    /// The state of all children; the very same array as long as none of them changes.
    public func collectNow() -> [MetricFamily] {
        cache.families ?? collectAnew().families
    }

    /// The state of all children, in another array than before.
    func collectAnew() -> FamilyCache.Given {
        let (sorted, created, changes) = children.withLock { children in
            if let sorted = children.sorted { return (sorted, children.created, cache.changes) }
            let rows = children.byLabels.map { (labels: $0, child: $1) }.sorted { $0.labels < $1.labels }
            let instruments = rows.map { $0.child }
            let sorted = (
                rows: rows, appendState: { Child.appendState(of: instruments, to: &$0) } as FamilyCache.AppendState
            )
            children.sorted = sorted
            return (sorted, children.created, cache.changes)
        }
        return cache.keep(changes: changes, appendState: sorted.appendState) { families(of: sorted.rows, created) }
    }

    private func families(
        of sorted: [(labels: LabelSet, child: Child)],
        _ created: [LabelSet: Double]
    ) -> [MetricFamily] {
        var metrics = Child.metrics(of: sorted)
        if !created.isEmpty {
            for index in metrics.indices { metrics[index].created = created[metrics[index].labels] }
        }
        return [isSound ? MetricFamily(sound: descriptor, metrics) : MetricFamily(descriptor, metrics)]
    }

    private func labelSet(_ values: [String]) throws(MetricError) -> LabelSet {
        guard values.count == labelNames.count else {
            throw MetricError(
                .labelMismatch,
                subject: descriptor.name,
                "\(descriptor.name) has the labels \(labelNames) and was given \(values.count) values"
            )
        }
        return try LabelSet(zip(labelNames, values).map { Label($0, $1) })
    }
}

extension InstrumentFamily: CachingCollector {}
