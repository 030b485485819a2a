// SPDX-License-Identifier: MIT

import Synchronization
public import WPModel

/// An in-memory energy store, for demos and tests.
///
/// It behaves like ``FileEnergyStore``, including its checks, except for durability.
public final class MemoryEnergyStore: EnergyStore {
    private let saved: Mutex<[EnergyRecord]>

    /// Creates a store with these records.
    /// - Parameter records: valid records, one per key.
    public init(_ records: [EnergyRecord] = []) {
        saved = Mutex(records)
    }

    /// Returns the last saved records, in order.
    public func load() async throws -> [EnergyRecord] {
        saved.withLock { $0 }
    }

    /// Replaces the saved records.
    /// - Throws: ``WPModel/EnergyStoreError`` with code `io` for a record with a defect or a duplicate key.
    public func save(_ records: [EnergyRecord]) async throws {
        try RecordCheck.check(records)
        saved.withLock { $0 = records }
    }
}
