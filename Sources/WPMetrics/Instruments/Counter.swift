// SPDX-License-Identifier: MIT

import Synchronization

/// A sum that only grows, from 0. Safe to use from any thread; whole numbers stay exact up to 2^53.
public final class Counter: Instrument {
    /// Counter.
    public static let type = MetricType.counter

    private let sum = AtomicDouble(0)
    private let exemplar = Mutex<Exemplar?>(nil)

    /// Creates a counter at 0.
    public init() {}

    /// The sum so far.
    public var value: Double { sum.value }

    /// Adds an amount.
    /// - Parameters:
    ///   - amount: finite, 0 or more; anything else is not added, since a counter must not fall.
    ///   - exemplar: an observation that this amount stands for; it replaces the one before.
    /// - Returns: whether the amount was added.
    @discardableResult
    public func increment(by amount: Double = 1, exemplar: Exemplar? = nil) -> Bool {
        guard amount >= 0, amount.isFinite else { return false }
        sum.add(amount)
        if let exemplar { self.exemplar.withLock { $0 = exemplar } }
        return true
    }

    /// Its state now.
    public func metric(labels: LabelSet) -> Metric {
        Metric(labels: labels, value: sum.value, exemplar: exemplar.withLock { $0 })
    }
}
