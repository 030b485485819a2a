// SPDX-License-Identifier: MIT

import Synchronization

/// Counts and sums observations, and estimates the quantiles of the recent ones. Safe to use from any thread.
///
/// Quantiles cannot be added up over several processes: prefer a ``Histogram`` where that may be wanted.
public final class Summary: Instrument, ExposedInstrument {
    /// Summary.
    package static let type = MetricType.summary

    /// The number of steps in which old observations are forgotten.
    private static let sliceCount = 5

    private struct State {
        var slices = [QuantileSketch](repeating: QuantileSketch(), count: Summary.sliceCount)
        /// The number of the newest slice since the start.
        var newest = 0
        var sum = 0.0
        var count: UInt64 = 0

        /// Forgets the slices whose time is over.
        mutating func advance(to slice: Int) {
            guard slice > newest else { return }
            for step in 1...min(slice - newest, slices.count) {
                slices[(newest + step) % slices.count] = QuantileSketch()
            }
            // All were emptied when more time passed than they last: which of them is the newest is free to say.
            newest = slice
        }
    }

    private let quantiles: [Double]
    private let sliceSeconds: Double
    private let elapsed: @Sendable () -> Duration
    private let state = Mutex(State())

    /// Creates a summary without observations.
    /// - Parameters:
    ///   - quantiles: ascending, each 0…1. A quantile is exact to within 1 % of its value.
    ///   - window: how long an observation counts for the quantiles, to within a fifth; at least a second.
    ///   - clock: the clock of the window.
    /// - Throws: ``MetricError/Code/invalidQuantiles`` when the quantiles are not so.
    package convenience init(
        quantiles: [Double] = [0.5, 0.9, 0.99],
        window: Duration = .seconds(600),
        clock: some Clock<Duration> = .continuous
    ) throws(MetricError) {
        try SummaryValue.check(quantiles)
        self.init(valid: quantiles, window: window, clock: clock)
    }

    /// Creates a summary of quantiles that ascend.
    init(valid quantiles: [Double], window: Duration, clock: some Clock<Duration>) {
        self.quantiles = quantiles
        sliceSeconds = max(1, window / .seconds(1)) / Double(Self.sliceCount)
        let start = clock.now
        elapsed = { start.duration(to: clock.now) }
    }

    /// The state so far: quantiles of the window, sum and count of all observations ever.
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

    /// Counts a time, in seconds.
    public func observe(_ duration: Duration) {
        observe(duration / .seconds(1))
    }

    /// Its state now.
    package func metric(labels: LabelSet) -> Metric {
        Metric(labels: labels, .summary(value))
    }

    private var currentSlice: Int {
        Int(exactly: (elapsed() / .seconds(1) / sliceSeconds).rounded(.down)) ?? 0
    }
}
