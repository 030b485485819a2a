// SPDX-License-Identifier: MIT

import Testing
import WPContracts
import WPCore
import WPModel
import WPTestKit

@Suite struct DeviceSourceContractTests {
    @Test(arguments: DeviceSourceContract.checks)
    func acceptsACorrectSource(_ check: ContractCheck<DeviceSourceContract.Subject>) async throws {
        let clock = TestClock()
        let source = FakeDeviceSource(repeatLast: true)
        source.answer { ["a", "b"].map { .sample(id: $0, time: clock.now) } }
        try await check.run(on: .init(source, timeSource: clock.timeSource))
    }

    @Test func detectsAnInfiniteNumber() async throws {
        let clock = TestClock()
        let source = FakeDeviceSource()
        source.answer([.sample(id: "a", watts: .infinity, time: clock.now)])
        let check = try #require(DeviceSourceContract.checks.first { $0.description == "numbers are finite" })
        await #expect(throws: ContractViolation.self) { try await check.run(on: .init(source, timeSource: clock)) }
    }

    /// The message, whether the server answered, whether it accepted the credentials, and whether that is possible.
    @Test(arguments: [
        ("m", true, true, true), ("m", true, false, true), ("m", false, false, true), ("m", false, true, false),
        ("", true, true, false),
    ])
    func checksTheMembersOfAFailure(_ message: String, _ reached: Bool, _ accepted: Bool, _ isPossible: Bool) async {
        let source = FakeDeviceSource()
        source.fail(
            DeviceSourceError(
                reason: .connect,
                endpoint: .devices,
                message: message,
                reachedServer: reached,
                wasAuthenticated: accepted
            )
        )
        for check in DeviceSourceContract.failureChecks {
            if isPossible {
                await #expect(throws: Never.self) { try await check.run(on: source) }
            } else {
                await #expect(throws: ContractViolation.self) { try await check.run(on: source) }
            }
        }
    }

    @Test func detectsASourceThatRepeatsADevice() async throws {
        let clock = TestClock()
        let source = FakeDeviceSource(repeatLast: true)
        let reading = DeviceReading.sample(id: "a", time: clock.timeSource.now)
        source.answer([reading, reading])
        let check = try #require(DeviceSourceContract.checks.first { $0.description == "each device is read once" })
        await #expect(throws: ContractViolation.self) {
            try await check.run(on: .init(source, timeSource: clock.timeSource))
        }
    }

    @Test func detectsAReadingOlderThanItsRequest() async throws {
        let clock = TestClock()
        let source = FakeDeviceSource(repeatLast: true)
        source.answer([.sample(id: "a", time: clock.timeSource.now)])
        clock.advance(by: .seconds(1))
        let check = try #require(DeviceSourceContract.checks.first { $0.description.hasPrefix("a reading is as old") })
        await #expect(throws: ContractViolation.self) {
            try await check.run(on: .init(source, timeSource: clock.timeSource))
        }
    }

    @Test func detectsAnErrorOfAnotherType() async throws {
        struct Failure: Error {}
        let source = FakeDeviceSource()
        source.fail(Failure())
        let check = try #require(DeviceSourceContract.failureChecks.first)
        await #expect(throws: ContractViolation.self) { try await check.run(on: source) }
    }
}
