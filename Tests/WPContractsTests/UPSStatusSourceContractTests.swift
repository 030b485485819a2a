// SPDX-License-Identifier: MIT

import Testing
import WPContracts
import WPNUT

@Suite struct UPSStatusSourceContractTests {
    @Test func detectsASourceWithoutAnObservation() async throws {
        struct Silent: UPSStatusSource {
            func observations() -> AsyncStream<UPSObservation> { AsyncStream { $0.finish() } }
        }
        let check = try #require(UPSStatusSourceContract.checks.first)
        await #expect(throws: ContractViolation.self) { try await check.run(on: Silent()) }
    }
}
