// SPDX-License-Identifier: MIT

import Synchronization
package import WPCore

/// Counts and sums observations, and estimates quantiles of recent ones. Thread-safe.
///
/// Quantiles cannot be aggregated across processes: use a ``Histogram`` for that.
public final class Summary: Instrument, ExposedInstrument {
    /// Summary.
    package static let type = MetricType.summary

    /// The number of slices in which old observations expire.
    private static let sliceCount = 5

    private struct State {
        var slices = [QuantileSketch](repeating: QuantileSketch(), count: Summary.sliceCount)
        /// The number of the newest slice, counted from the start.
        var newest = 0
        var sum = 0.0
        var count: UInt64 = 0

        /// Clears expired slices.
        mutating func advance(to slice: Int) {
            guard slice > newest else { return }
            for step in 1...min(slice - newest, slices.count) {
                slices[(newest + step) % slices.count] = QuantileSketch()
            }
            // If all slices have expired, any of them can be the newest.
            newest = slice
        }
    }

    private let quantiles: [Double]
    private let sliceSeconds: Double
    private let timeSource: any TimeSource
    private let start: Duration
    private let state = Mutex(State())

    /// Creates a summary without observations.
    /// - Parameters:
    ///   - quantiles: ascending, each 0…1. A quantile is accurate to within 1 % of its value.
    ///   - window: how long an observation contributes to the quantiles, to within a fifth of this time; at least one
    ///     second.
    ///   - timeSource: the clock for the window.
    /// - Throws: ``MetricError/Code/invalidQuantiles`` if the quantiles are invalid.
    package convenience init(
        quantiles: [Double] = [0.5, 0.9, 0.99],
        window: Duration = .seconds(600),
        timeSource: any TimeSource = .system
    ) throws(MetricError) {
        try SummaryValue.check(quantiles)
        self.init(valid: quantiles, window: window, timeSource: timeSource)
    }

    /// Creates a summary with validated quantiles.
    init(valid quantiles: [Double], window: Duration, timeSource: any TimeSource) {
        self.quantiles = quantiles
        sliceSeconds = max(1, window / .seconds(1)) / Double(Self.sliceCount)
        self.timeSource = timeSource
        start = timeSource.now.monotonic
    }

    /// The current state: quantiles of the window, sum and count of all observations.
    public var value: SummaryValue {
        let slice = currentSlice
        let (merged, sum, count) = state.withLock { state in
            state.advance(to: slice)
            var merged = QuantileSketch()
            for slice in state.slices { merged.merge(slice) }
            return (merged, state.sum, state.count)
        }
        let values = zip(quantiles, merged.values(of: quantiles)).map { SummaryValue.Quantile($0, value: $1) }
        return SummaryValue(valid: values, sum: sum, count: count)
    }

    /// Counts an observation, in the unit of the family's name. NaN is not counted.
    public func observe(_ value: Double) {
        guard !value.isNaN else { return }
        let slice = currentSlice
        state.withLock { state in
            state.advance(to: slice)
            state.slices[state.newest % state.slices.count].insert(value)
            state.sum += value
            state.count &+= 1
        }
    }

    /// Counts a duration, in seconds.
    public func observe(_ duration: Duration) {
        observe(duration / .seconds(1))
    }

    /// Its current state.
    package func metric(labels: LabelSet) -> Metric {
        Metric(labels: labels, .summary(value))
    }

    private var currentSlice: Int {
        Int(((timeSource.now.monotonic - start) / .seconds(1) / sliceSeconds).rounded(.down))
    }
}
