// SPDX-License-Identifier: MIT

import Testing
import WPContracts
import WPModel
import WPNUT
import WPTestKit

@Suite struct UPSStatusSourceContractTests {
    /// Repeats one observation in every stream, which does not end before its reader does.
    private struct Steady: UPSStatusSource {
        let readings: [DeviceReading]?

        func observations() -> AsyncStream<UPSObservation> {
            AsyncStream { $0.yield(UPSObservation(readings: readings)) }
        }
    }

    @Test(arguments: UPSStatusSourceContract.checks)
    func acceptsACorrectSource(_ check: ContractCheck<any UPSStatusSource>) async throws {
        let time = TestClock().now
        try await check.run(on: Steady(readings: ["a", "b"].map { .sample(id: $0, time: time) }))
        try await check.run(on: Steady(readings: nil))
    }

    @Test func detectsADeviceThatOccursTwice() async throws {
        let reading = DeviceReading.sample(id: "a", time: TestClock().now)
        let check = try #require(UPSStatusSourceContract.checks.last)
        await #expect(throws: ContractViolation.self) { try await check.run(on: Steady(readings: [reading, reading])) }
    }

    @Test func detectsASourceWithoutAnObservation() async throws {
        struct Silent: UPSStatusSource {
            func observations() -> AsyncStream<UPSObservation> { AsyncStream { $0.finish() } }
        }
        let check = try #require(UPSStatusSourceContract.checks.first)
        await #expect(throws: ContractViolation.self) { try await check.run(on: Silent()) }
    }
}
