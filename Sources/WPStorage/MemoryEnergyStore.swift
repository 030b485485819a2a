// SPDX-License-Identifier: MIT

import Synchronization
public import WPModel

/// An energy store that forgets when the process ends: for a demo, for a trial without a disk, and for tests.
///
/// It keeps the contract of ``FileEnergyStore`` in everything but durability: what is refused there is refused here.
public final class MemoryEnergyStore: EnergyStore {
    private let saved: Mutex<[EnergyRecord]>

    /// Creates a store that holds these records.
    /// - Parameter records: sound ones, one per key; no store saves others.
    public init(_ records: [EnergyRecord] = []) {
        saved = Mutex(records)
    }

    /// Gives the records that were saved last, in their order.
    public func load() async throws -> [EnergyRecord] {
        saved.withLock { $0 }
    }

    /// Keeps the records.
    /// - Throws: ``WPModel/EnergyStoreError`` with code `io` for a record with a defect and for a key that occurs
    ///   twice.
    public func save(_ records: [EnergyRecord]) async throws {
        try RecordCheck.check(records)
        saved.withLock { $0 = records }
    }
}
