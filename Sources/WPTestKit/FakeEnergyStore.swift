// SPDX-License-Identifier: MIT

import Synchronization
public import WPModel

/// An energy store in memory that counts its writes and fails on demand.
public final class FakeEnergyStore: EnergyStore {
    private struct State {
        var records: [EnergyRecord]
        var saves = 0
        var failure: EnergyStoreError?
    }

    private let state: Mutex<State>

    /// Creates a store that holds these records.
    public init(_ records: [EnergyRecord] = []) {
        state = Mutex(State(records: records))
    }

    /// What was saved last.
    public var records: [EnergyRecord] { state.withLock { $0.records } }

    /// The number of saves.
    public var saves: Int { state.withLock { $0.saves } }

    /// Makes every call fail from now on; nil to let them succeed again.
    public func fail(with error: EnergyStoreError?) {
        state.withLock { $0.failure = error }
    }

    /// Returns what was saved last.
    public func load() async throws -> [EnergyRecord] {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            return state.records
        }
    }

    /// Keeps the records.
    public func save(_ records: [EnergyRecord]) async throws {
        try state.withLock { state in
            if let failure = state.failure { throw failure }
            state.records = records
            state.saves += 1
        }
    }
}
