// SPDX-License-Identifier: MIT

import Synchronization
package import WPModel

/// An energy meter that keeps its samples and returns what a test sets.
package final class FakeEnergyMeter: EnergyMeter {
    private struct State {
        var batches: [[PowerSample]] = []
        var update = EnergyUpdate(totals: [:])
    }

    private let state = Mutex(State())

    /// Creates a meter without totals.
    package init() {}

    /// The batches recorded so far.
    package var batches: [[PowerSample]] { state.withLock { $0.batches } }

    /// Sets what the next calls return.
    package func set(_ update: EnergyUpdate) {
        state.withLock { $0.update = update }
    }

    /// Keeps the samples and returns what was set.
    package func record(_ samples: [PowerSample]) async -> EnergyUpdate {
        state.withLock { state in
            state.batches.append(samples)
            return state.update
        }
    }

    /// The totals that were set.
    package func totals() async -> [DeviceID: EnergyTotal] { state.withLock { $0.update.totals } }

    /// Does nothing.
    package func flush() async throws {}
}
