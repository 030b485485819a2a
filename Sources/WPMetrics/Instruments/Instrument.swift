// SPDX-License-Identifier: MIT

/// Something that code changes while it runs and that shows its state at a gather. It knows neither its name nor its
/// labels: an ``InstrumentFamily`` does.
public protocol Instrument: AnyObject, Sendable {
    /// The type of family that such instruments make.
    static var type: MetricType { get }

    /// Its state now.
    /// - Parameter labels: the labels that it has in its family.
    func metric(labels: LabelSet) -> Metric

    /// The state of many at once, in their order.
    static func metrics(of children: [(labels: LabelSet, child: Self)]) -> [Metric]

    /// Appends numbers that are others whenever the state of one of these is, so that a family that is as it was need
    /// not be made again.
    /// - Returns: false, as it does by default, when the state cannot be told so.
    static func appendState(of children: [Self], to state: inout [UInt64]) -> Bool
}

extension Instrument {
    /// The state of each, one after the other.
    public static func metrics(of children: [(labels: LabelSet, child: Self)]) -> [Metric] {
        children.map { $0.child.metric(labels: $0.labels) }
    }

    /// False.
    public static func appendState(of children: [Self], to state: inout [UInt64]) -> Bool { false }
}

/// An instrument of this module, whose metrics fit their family by construction and need no check at a gather.
protocol SoundInstrument: Instrument {}

extension Counter: SoundInstrument {}
extension Gauge: SoundInstrument {}
extension Histogram: SoundInstrument {}
extension Summary: SoundInstrument {}
