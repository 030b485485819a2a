// SPDX-License-Identifier: MIT

/// Something that code changes while it runs and that shows its state at a gather. It knows neither its name nor its
/// labels: an ``InstrumentFamily`` does.
public protocol Instrument: AnyObject, Sendable {
    /// The type of family that such instruments make.
    static var type: MetricType { get }

    /// Its state now.
    /// - Parameter labels: the labels that it has in its family.
    func metric(labels: LabelSet) -> Metric
}
