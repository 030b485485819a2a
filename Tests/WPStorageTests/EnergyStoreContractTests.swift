// SPDX-License-Identifier: MIT

import Testing
import WPContracts
import WPLogging
import WPModel
import WPStorage
import WPTestKit

@Suite struct EnergyStoreContractTests {
    @Test(arguments: EnergyStoreContract.checks)
    func theMemoryStoreFulfilsTheContract(_ check: ContractCheck<any EnergyStore>) async throws {
        try await check.run(on: MemoryEnergyStore())
    }

    @Test(arguments: EnergyStoreContract.checks)
    func theFileStoreFulfilsTheContract(_ check: ContractCheck<any EnergyStore>) async throws {
        let directory = try TemporaryDirectory()
        try await check.run(on: FileEnergyStore.open(.init(directory: directory.path), logger: .silent))
    }

    @Test(arguments: EnergyStoreContract.checks)
    func theFakeFulfilsTheContract(_ check: ContractCheck<any EnergyStore>) async throws {
        // The fake accepts anything from a test, so it does not check records.
        guard !check.description.contains("rejected") else { return }
        try await check.run(on: FakeEnergyStore())
    }

    /// A store that violates one requirement.
    private struct BrokenStore: EnergyStore {
        let memory = MemoryEnergyStore()
        let change: @Sendable ([EnergyRecord]) -> [EnergyRecord]

        func load() async throws -> [EnergyRecord] { change(try await memory.load()) }
        func save(_ records: [EnergyRecord]) async throws { try await memory.save(records) }
    }

    @Test func detectsAStoreThatLosesOrChangesRecords() async throws {
        let changes: [@Sendable ([EnergyRecord]) -> [EnergyRecord]] = [
            { Array($0.dropLast()) }, { $0.reversed() }, { $0 + $0.prefix(1) },
            { records in
                records.map { record in
                    var record = record
                    record.total.joules = record.total.joules.rounded()
                    return record
                }
            },
        ]
        for change in changes {
            var violations = 0
            for check in EnergyStoreContract.checks {
                do {
                    try await check.run(on: BrokenStore(change: change))
                } catch is ContractViolation {
                    violations += 1
                }
            }
            #expect(violations > 0)
        }
    }
}
