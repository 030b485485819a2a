// SPDX-License-Identifier: MIT

/// A value that can go up and down, starting at 0. Safe to use from any thread.
public final class Gauge: Instrument, ExposedInstrument {
    /// Gauge.
    package static let type = MetricType.gauge

    private let current = AtomicDouble(0)

    /// Creates a gauge at 0.
    package init() {}

    /// The current value.
    public var value: Double { current.value }

    /// Sets the value. NaN is exposed as NaN; to expose nothing, remove the child or use a collector.
    public func set(_ value: Double) {
        current.store(value)
    }

    /// Sets the value to 1 or 0.
    public func set(_ isTrue: Bool) {
        current.store(isTrue ? 1 : 0)
    }

    /// Adds an amount of either sign.
    public func increment(by amount: Double = 1) {
        current.add(amount)
    }

    /// Subtracts an amount.
    public func decrement(by amount: Double = 1) {
        current.add(-amount)
    }

    /// Its current state.
    package func metric(labels: LabelSet) -> Metric {
        Metric(labels: labels, value: current.value)
    }
}
