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

    @Test func aSourceWithoutAnObservationIsNoticed() async throws {
        struct Silent: UPSStatusSource {
            func observations() -> AsyncStream<UPSObservation> { AsyncStream { $0.finish() } }
        }
        let check = try #require(UPSStatusSourceContract.checks.first)
        await #expect(throws: ContractViolation.self) { try await check.run(on: Silent()) }
    }
}
