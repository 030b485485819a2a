// SPDX-License-Identifier: MIT

import WPModel
import WPTestKit

/// An in-memory energy store. Each fault replaces one of its functions.
struct BrokenEnergyStore: EnergyStore {
    var read: @Sendable ([EnergyRecord]) -> [EnergyRecord] = { $0 }
    var save: @Sendable (FakeEnergyStore, [EnergyRecord]) async throws -> Void = { try await $0.save($1) }
    /// What a record is checked for.
    var checked: @Sendable (EnergyRecord) -> EnergyRecord = { $0 }
    var isUnique: @Sendable ([EnergyRecord]) -> Bool = { Set($0.map(\.key)).count == $0.count }
    var message: @Sendable (EnergyRecord) -> String = { "the record \"\($0.key.device)\" is invalid" }
    var savesBeforeItChecks = false
    private let memory = FakeEnergyStore()

    func load() async throws -> [EnergyRecord] { read(try await memory.load()) }

    func save(_ records: [EnergyRecord]) async throws {
        if savesBeforeItChecks { try await memory.save(records) }
        if let bad = records.first(where: { checked($0).defect != nil }) {
            throw EnergyStoreError(code: .io, message: message(bad))
        }
        guard isUnique(records) else { throw EnergyStoreError(code: .io, message: "a key occurs twice") }
        try await save(memory, records)
    }
}
