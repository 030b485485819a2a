// SPDX-License-Identifier: MIT

import Synchronization
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

    /// Only its first streams have an observation.
    private final class Exhausted: UPSStatusSource {
        private let rest: Mutex<Int>

        init(after streams: Int) {
            rest = Mutex(streams)
        }

        func observations() -> AsyncStream<UPSObservation> {
            let isOver = rest.withLock { rest in
                rest -= 1
                return rest < 0
            }
            return AsyncStream {
                if !isOver { $0.yield(UPSObservation(readings: [])) }
                $0.finish()
            }
        }
    }

    @Test func detectsASourceWithoutAnObservation() async throws {
        for check in UPSStatusSourceContract.checks where check.description != "a reader that is cancelled ends" {
            await #expect(throws: ContractViolation.self) { try await check.run(on: Exhausted(after: 0)) }
        }
    }

    @Test(arguments: [1, 2]) func detectsALaterStreamWithoutAnObservation(_ streams: Int) async throws {
        let check = try #require(UPSStatusSourceContract.checks.first { $0.description.hasPrefix("every run") })
        await #expect(throws: ContractViolation.self) { try await check.run(on: Exhausted(after: streams)) }
        try await check.run(on: Exhausted(after: 3))
    }
}
