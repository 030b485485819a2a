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

    @Test func detectsAReadingFromTheFuture() async throws {
        let clock = TestClock()
        let source = FakeDeviceSource()
        let later = TestClock()
        later.advance(by: .seconds(1))
        source.answer([.sample(id: "a", time: later.now)])
        await expectViolation("a reading is as old as the call at most", by: source, clock)
    }

    @Test func detectsASourceThatRepeatsItsFirstReading() async throws {
        let clock = TestClock()
        let source = FakeDeviceSource(repeatLast: true)
        let first = clock.now
        source.answer {
            defer { clock.advance(by: .seconds(1)) }
            return [.sample(id: "a", time: first)]
        }
        await expectViolation("a reading is as old as the call at most", by: source, clock)
    }

    @Test func detectsThatConcurrentCallsDiffer() async {
        let clock = TestClock()
        let source = FakeDeviceSource()
        source.answer([.sample(id: "a", time: clock.now)])
        await expectViolation("calls at the same time are answered", by: source, clock)
    }

    private struct Failure: Error {}

    @Test func detectsAnotherErrorOfACancelledCall() async {
        let source = FakeDeviceSource()
        source.fail(Failure())
        await expectViolation("a cancelled call ends with CancellationError, or with its readings", by: source)
    }

    @Test(arguments: [false, true]) func expectsASourceToWorkAfterACancelledCall(_ works: Bool) async throws {
        let source = FakeDeviceSource()
        source.fail(CancellationError())
        if !works { source.fail(Failure()) }
        let check = try #require(DeviceSourceContract.checks.last)
        let subject = DeviceSourceContract.Subject(source, timeSource: TestClock())
        if works {
            try await check.run(on: subject)
        } else {
            await #expect(throws: Failure.self) { try await check.run(on: subject) }
        }
    }

    private func expectViolation(
        _ description: String,
        by source: FakeDeviceSource,
        _ clock: TestClock = TestClock(),
        sourceLocation: SourceLocation = #_sourceLocation
    ) async {
        await #expect(throws: ContractViolation.self, sourceLocation: sourceLocation) {
            let check = try #require(DeviceSourceContract.checks.first { $0.description == description })
            try await check.run(on: .init(source, timeSource: clock))
        }
    }
}
