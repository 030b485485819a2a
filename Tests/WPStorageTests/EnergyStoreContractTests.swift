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
}
