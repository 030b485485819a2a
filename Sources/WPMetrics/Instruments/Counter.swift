// SPDX-License-Identifier: MIT

import Synchronization

/// A sum that starts at 0 and never decreases. Safe to use from any thread; whole numbers stay exact up to 2^53.
public final class Counter: Instrument, ExposedInstrument {
    /// Counter.
    package static let type = MetricType.counter

    // Whole amounts need one atomic addition; adding doubles needs a compare-and-swap loop.
    private let whole = Atomic<UInt64>(0)
    private let fractional = AtomicDouble(0)
    private let exemplar = Mutex<Exemplar?>(nil)

    /// Creates a counter at 0.
    package init() {}

    /// The current sum.
    public var value: Double { Double(whole.load(ordering: .relaxed)) + fractional.value }

    /// Adds 1.
    public func increment() {
        whole.wrappingAdd(1, ordering: .relaxed)
    }

    /// Adds an amount.
    /// - Parameters:
    ///   - amount: finite, 0 or more; other amounts are ignored, because a counter must not decrease.
    ///   - exemplar: an observation that contributed to this amount; it replaces the previous one.
    /// - Returns: whether the amount was added.
    @discardableResult
    public func increment(by amount: Double = 1, exemplar: Exemplar? = nil) -> Bool {
        guard amount >= 0, amount.isFinite else { return false }
        // With only smaller amounts, the integer cannot overflow before 2^32 increments.
        if amount < 0x1p32, amount == Double(UInt64(amount)) {
            whole.wrappingAdd(UInt64(amount), ordering: .relaxed)
        } else {
            fractional.add(amount)
        }
        if let exemplar { self.exemplar.withLock { $0 = exemplar } }
        return true
    }

    /// Its current state.
    package func metric(labels: LabelSet) -> Metric {
        Metric(labels: labels, value: value, exemplar: exemplar.withLock { $0 })
    }
}
