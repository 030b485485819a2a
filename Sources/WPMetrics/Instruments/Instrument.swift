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
}
