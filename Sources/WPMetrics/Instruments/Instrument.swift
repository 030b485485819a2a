// SPDX-License-Identifier: MIT

/// What code changes while it runs and a gather reads: a ``Counter``, ``Gauge``, ``Histogram`` or ``Summary``. It knows
/// neither its name nor its labels: its ``InstrumentFamily`` does.
///
/// No other types conform. Numbers that come from elsewhere are exposed by a ``MetricCollector``.
public protocol Instrument: AnyObject, Sendable {}

/// What a family needs to know of its instruments. Their metrics fit the family by construction, so that a gather does
/// not check them.
package protocol ExposedInstrument: Instrument {
    /// The type of family that such instruments make.
    static var type: MetricType { get }

    /// Its state now.
    /// - Parameter labels: the labels that it has in its family.
    func metric(labels: LabelSet) -> Metric

    /// Appends numbers that differ whenever the state of one of these does, so that a family without changes need not be
    /// built again.
    /// - Returns: false, as it does by default, when the state can't be described so.
    static func appendState(of children: [Self], to state: inout [UInt64]) -> Bool

    /// Appends the same numbers as they were when these metrics were made.
    /// - Returns: false, as it does by default, when the metrics don't show them: for state that never returns to an
    ///   earlier value, it is enough to read it before the metrics are made.
    static func appendState(shownBy metrics: [Metric], to state: inout [UInt64]) -> Bool
}

extension ExposedInstrument {
    package static func appendState(of children: [Self], to state: inout [UInt64]) -> Bool { false }
    package static func appendState(shownBy metrics: [Metric], to state: inout [UInt64]) -> Bool { false }
}
