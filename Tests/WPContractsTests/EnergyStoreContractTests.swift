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

    @Test(arguments: EnergyStoreContract.checks)
    func acceptsACorrectStore(_ check: ContractCheck<any EnergyStore>) async throws {
        try await check.run(on: BrokenEnergyStore())
    }

    @Test(arguments: EnergyStoreFaults.all) func detectsAFault(_ fault: Fault<BrokenEnergyStore>) async throws {
        let check = try #require(EnergyStoreContract.checks.first { $0.description == fault.check })
        var store = BrokenEnergyStore()
        fault.apply(&store)
        // A violation, or the store's own error for records that it should accept.
        await #expect(throws: (any Error).self) { try await check.run(on: store) }
    }

    @Test func everyCheckDetectsAFault() {
        #expect(Set(EnergyStoreFaults.all.map(\.check)) == Set(EnergyStoreContract.checks.map(\.description)))
    }
}
