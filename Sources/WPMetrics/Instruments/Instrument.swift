// SPDX-License-Identifier: MIT

/// A ``Counter``, ``Gauge``, ``Histogram`` or ``Summary`` that code updates and a gather reads. Its name and labels are
/// those in its ``InstrumentFamily``.
///
/// No other types conform. Expose numbers from other sources with a ``MetricCollector``.
public protocol Instrument: AnyObject, Sendable {}

/// The interface between a family and its instruments. Their metrics match the family by construction, so a gather does
/// not check them.
package protocol ExposedInstrument: Instrument {
    /// The type of the instrument's family.
    static var type: MetricType { get }

    /// Its current state.
    /// - Parameter labels: its labels in the family.
    func metric(labels: LabelSet) -> Metric
}
