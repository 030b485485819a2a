// SPDX-License-Identifier: MIT

import Testing
import WPCollector
import WPContracts
import WPNUT

@testable import WPExporter

@Suite struct UPSStatusSourceContractTests {
    @Test(arguments: UPSStatusSourceContract.checks)
    func collectionsKeepTheContract(_ check: ContractCheck<any UPSStatusSource>) async throws {
        let source = CollectedUPSes()
        source.publish(CollectionSnapshot())
        try await check.run(on: source)
    }
}
