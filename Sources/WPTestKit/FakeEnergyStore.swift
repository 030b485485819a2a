// SPDX-License-Identifier: MIT

import Synchronization
public import WPModel

/// An in-memory energy store that counts its writes and fails on demand.
public final class FakeEnergyStore: EnergyStore {
    private struct State {
        var records: [EnergyRecord]
        var saves = 0
        var failure: EnergyStoreError?
    }

    private let state: Mutex<State>

    /// Creates a store that contains these records.
    public init(_ records: [EnergyRecord] = []) {
        state = Mutex(State(records: records))
    }

    /// The saved records.
    public var records: [EnergyRecord] { state.withLock { $0.records } }

    /// The number of saves.
    public var saves: Int { state.withLock { $0.saves } }

    /// Makes every subsequent call fail with an error; if nil, calls succeed again.
    public func fail(with error: EnergyStoreError?) {
        state.withLock { $0.failure = error }
    }

    /// Returns the saved records.
    public func load() async throws -> [EnergyRecord] {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            return state.records
        }
    }

    /// Saves the records.
    public func save(_ records: [EnergyRecord]) async throws {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            state.records = records
            state.saves += 1
        }
    }
}
