// SPDX-License-Identifier: MIT

import Testing
import WPContracts
import WPCore
import WPModel
import WPTestKit

@Suite struct DeviceSourceContractTests {
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
