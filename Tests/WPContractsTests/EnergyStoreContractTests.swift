// SPDX-License-Identifier: MIT

import Testing
import WPContracts
import WPModel
import WPTestKit

@Suite struct EnergyStoreContractTests {
    @Test(arguments: EnergyStoreContract.checks)
    func theFakeFulfilsTheContractExceptForRejections(_ check: ContractCheck<any EnergyStore>) async throws {
        if check.description.contains("rejected") {
            // The fake accepts anything from a test.
            await #expect(throws: ContractViolation.self) { try await check.run(on: FakeEnergyStore()) }
        } else {
            await #expect(throws: Never.self) { try await check.run(on: FakeEnergyStore()) }
        }
    }

    private struct BrokenStore: EnergyStore {
        let memory = FakeEnergyStore()
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
            for check in EnergyStoreContract.checks where !check.description.contains("rejected") {
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
