// SPDX-License-Identifier: MIT

import Synchronization
package import WPModel

/// An energy meter that records samples and returns a configured result.
package final class FakeEnergyMeter: EnergyMeter {
    private struct State {
        var batches: [[PowerSample]] = []
        var update = EnergyUpdate(totals: [:])
    }

    private let state = Mutex(State())

    /// Creates a meter without totals.
    package init() {}

    /// The recorded batches.
    package var batches: [[PowerSample]] { state.withLock { $0.batches } }

    /// Sets the result of subsequent calls.
    package func set(_ update: EnergyUpdate) {
        state.withLock { $0.update = update }
    }

    /// Records the samples and returns the configured result.
    package func record(_ samples: [PowerSample]) async -> EnergyUpdate {
        state.withLock { state in
            state.batches.append(samples)
            return state.update
        }
    }

    /// The configured totals.
    package func totals() async -> [DeviceID: EnergyTotal] { state.withLock { $0.update.totals } }

    /// Does nothing.
    package func flush() async throws {}
}
