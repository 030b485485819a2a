// SPDX-License-Identifier: MIT

import Synchronization
public import WPModel

/// An energy meter that keeps what it was given and answers what a test sets.
public final class FakeEnergyMeter: EnergyMeter {
    private struct State {
        var batches: [[PowerSample]] = []
        var update = EnergyUpdate(totals: [:])
    }

    private let state = Mutex(State())

    /// Creates a meter without totals.
    public init() {}

    /// The batches recorded so far.
    public var batches: [[PowerSample]] { state.withLock { $0.batches } }

    /// Sets what the next calls answer.
    public func set(_ update: EnergyUpdate) {
        state.withLock { $0.update = update }
    }

    /// Keeps the samples and answers what was set.
    public func record(_ samples: [PowerSample]) async -> EnergyUpdate {
        state.withLock { state in
            state.batches.append(samples)
            return state.update
        }
    }

    /// The totals that were set.
    public func totals() async -> [DeviceID: EnergyTotal] { state.withLock { $0.update.totals } }

    /// Does nothing.
    public func flush() async throws {}
}
