// SPDX-License-Identifier: MIT

import Synchronization

/// Counts observations in buckets. Safe to use from any thread.
public final class Histogram: Instrument, ExposedInstrument {
    /// Histogram.
    package static let type = MetricType.histogram

    private struct State {
        var counts: [UInt64]
        var sum = 0.0
        var exemplars: [Int: Exemplar] = [:]
    }

    private let bounds: [Double]
    // A lock, because a gather must see consistent buckets, count and sum.
    private let state: Mutex<State>

    /// Creates a histogram without observations.
    package init(buckets: HistogramBuckets = .standard) {
        bounds = buckets.upperBounds
        state = Mutex(State(counts: Array(repeating: 0, count: buckets.upperBounds.count + 1)))
    }

    /// The current state.
    public var value: HistogramValue {
        let state = state.withLock { $0 }
        var total: UInt64 = 0
        let buckets = state.counts.enumerated().map { index, count in
            total &+= count
            return HistogramValue.Bucket(
                upperBound: index < bounds.count ? bounds[index] : .infinity,
                cumulativeCount: total,
                exemplar: state.exemplars[index]
            )
        }
        return HistogramValue(valid: buckets, sum: state.sum)
    }

    /// Counts an observation.
    /// - Parameters:
    ///   - value: in the unit of the family's name. NaN belongs to no bucket and is not counted.
    ///   - exemplar: the exemplar of the observation's bucket; it replaces the previous one.
    public func observe(_ value: Double, exemplar: Exemplar? = nil) {
        guard !value.isNaN else { return }
        let index = bucket(of: value)
        state.withLock { state in
            state.counts[index] &+= 1
            state.sum += value
            if let exemplar { state.exemplars[index] = exemplar }
        }
    }

    /// Counts a duration, in seconds.
    public func observe(_ duration: Duration) {
        observe(duration / .seconds(1))
    }

    /// Its current state.
    package func metric(labels: LabelSet) -> Metric {
        Metric(labels: labels, .histogram(value))
    }

    /// The first bucket whose bound is not below the value.
    private func bucket(of value: Double) -> Int {
        var low = 0
        var high = bounds.count
        while low < high {
            let middle = (low + high) / 2
            if bounds[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
