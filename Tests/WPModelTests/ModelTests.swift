// SPDX-License-Identifier: MIT

import Testing
import WPCore
import WPModel
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct ModelTests {
    @Test(arguments: [
        (0, OperatingMode.State.powerOn), (1, .standby), (2, .bypass), (3, .line), (4, .battery), (5, .batteryTest),
        (6, .fault), (7, .unknown), (-1, .unknown), (Int.max, .unknown),
    ])
    func mapsEveryModeToAState(code: Int, state: OperatingMode.State) {
        #expect(OperatingMode(code: code).state == state)
        #expect(OperatingMode(code: code).code == code)
    }

    @Test func convertsJoulesToWattHours() {
        #expect(EnergyTotal(joules: 702_000).wattHours == 195)
        #expect(EnergyTotal().wattHours == 0)
    }

    @Test func ordersKeysBySourceThenDevice() {
        let keys = [
            EnergyKey(source: SourceID(rawValue: "b"), device: DeviceID("1")),
            EnergyKey(device: DeviceID("2")),
            EnergyKey(device: DeviceID("1")),
        ]
        #expect(keys.sorted().map(\.device.rawValue) == ["1", "2", "1"])
    }

    /// `é` as one scalar and as two: equal as `String`s, and different names everywhere else.
    @Test func comparesIdentifiersByBytes() {
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        #expect(composed == decomposed)
        let devices = [DeviceID(composed), DeviceID(decomposed)]
        #expect(devices[0] != devices[1])
        #expect(!(devices[0] == devices[1]))
        #expect(DeviceID(composed) == DeviceID(rawValue: composed))
        #expect(Set(devices).count == 2)
        #expect(Set(devices.map { EnergyKey(device: $0) }).count == 2)
        #expect(devices.sorted().map { Array($0.rawValue.utf8) } == [Array(decomposed.utf8), Array(composed.utf8)])
        #expect(SourceID(rawValue: composed) != SourceID(rawValue: decomposed))
        #expect(Set([SourceID(rawValue: composed), SourceID(rawValue: decomposed)]).count == 2)
        #expect(Set([ByteString(composed), ByteString(decomposed), ByteString(composed)]).count == 2)
    }

    @Test func monotonicTimeIgnoresTheWallClock() {
        let clock = TestClock()
        let before = clock.timeSource.now
        clock.stepWall(by: -7200)
        clock.advance(by: .seconds(5))
        let after = clock.timeSource.now
        #expect(after.since(before) == .seconds(5))
        #expect(after.wall.timeIntervalSince(before.wall) == -7195)
    }

    @Test func systemTimeAdvances() {
        let source = SystemTimeSource()
        let first = source.now
        let second = source.now
        #expect(second.monotonic >= first.monotonic)
    }

    @Test(arguments: [
        (Duration.seconds(3), 3.0), (.milliseconds(-250), -0.25), (.zero, 0), (.nanoseconds(1), 1e-9),
    ])
    func convertsDurationsToSeconds(span: Duration, seconds: Double) {
        #expect(abs(span.inSeconds - seconds) < 1e-15)
    }

    @Test func documentsEveryFailureReason() {
        #expect(
            FailureReason.allCases.map(\.rawValue) == [
                "timeout", "connect", "tls", "auth", "http", "decode", "storage", "internal",
            ]
        )
    }
}

@Suite struct TestClockTests {
    @Test func wakesSleepersInOrderOfTime() async throws {
        let clock = TestClock()
        async let first: Void = clock.sleep(for: .seconds(1))
        async let second: Void = clock.sleep(for: .seconds(2))
        try await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))
        try await first
        clock.advance(by: .seconds(1))
        try await second
        #expect(clock.now.monotonic == .seconds(2))
    }

    @Test func wakesACancelledSleeper() async throws {
        let clock = TestClock()
        let task = Task { try await clock.sleep(for: .seconds(60)) }
        try await clock.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func doesNotSleepInACancelledTask() async {
        let clock = TestClock()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await clock.sleep(for: .seconds(60))
        }
        await #expect(throws: CancellationError.self) { try await task.value }
    }
}
