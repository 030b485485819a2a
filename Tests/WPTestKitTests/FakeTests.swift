// SPDX-License-Identifier: MIT

import Testing
import WPClient
import WPCore
import WPHTTP
import WPLogging
import WPModel
import WPSimulator
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The fakes for embedders' tests.
struct FakeTests {
    @Test func sourceReturnsQueuedResults() async throws {
        let source = FakeDeviceSource()
        let clock = TestClock()
        let reading = DeviceReading.sample(id: "ups-7", time: clock.now)
        source.answer([reading])
        source.fail(HTTPClientError(code: .connect, message: "refused"))
        source.answer { [reading, reading] }
        #expect(try await source.readDevices() == [reading])
        await #expect(throws: HTTPClientError.self) { try await source.readDevices() }
        #expect(try await source.readDevices().count == 2)
        #expect(try await source.readDevices().isEmpty)
    }

    /// Embedders' tests expect these values.
    @Test func sampleIsAHealthyUPS() throws {
        let clock = TestClock()
        #expect(clock.now.secondsSince1970 == 1_750_000_000)
        let reading = DeviceReading.sample(time: clock.now)
        let device = reading.device
        #expect(device.id.rawValue == "ups-1" && device.alias == "UPS 1" && device.model == "ON-LINE")
        #expect(device.typeCode == 1 && device.protocolID == 13)
        #expect(device.inputPhaseCount == 1 && device.outputPhaseCount == 1)
        #expect(device.rating == Device.Rating(voltAmperes: 3000, volts: 220, hertz: 50, batteryVolts: 72))
        #expect(reading.isConnected == true && reading.temperatureCelsius == 27)
        #expect(reading.mode?.code == 3 && reading.statusCode == 1 && reading.testStatusCode == 1)
        #expect(reading.load == .init(percent: 6, watts: 195, voltAmperes: 198))
        #expect(reading.input == .init(volts: 236.8, hertz: 49.9, transformerTypeCode: 0))
        #expect(reading.output == .init(volts: 220.1, amperes: 1.1, hertz: 49.9, voltageTypeCode: 0))
        let battery = DeviceReading.Battery(
            isCharging: true,
            chargePercent: 90,
            runtimeSeconds: 6723,
            volts: 81.4,
            statusCode: 2
        )
        #expect(reading.battery == battery)
    }

    @Test func sourceRepeatsItsLastResult() async throws {
        let source = FakeDeviceSource(repeatLast: true)
        let clock = TestClock()
        #expect(try await source.readDevices().isEmpty)
        source.answer([.sample(id: "a", time: clock.timeSource.now)])
        source.answer([.sample(id: "b", time: clock.timeSource.now)])
        for id in ["a", "b", "b", "b"] {
            #expect(try await source.readDevices().map(\.device.id.rawValue) == [id])
        }
    }

    @Test func storeSavesCountsAndFails() async throws {
        let store = FakeEnergyStore()
        #expect(try await store.load().isEmpty)
        let record = EnergyRecord(key: EnergyKey(device: DeviceID("a")), total: EnergyTotal(joules: 1))
        try await store.save([record])
        #expect(store.records == [record])
        #expect(store.saves == 1)
        let failure = EnergyStoreError(code: .full, message: "no space left")
        store.fail(with: failure)
        await #expect(throws: EnergyStoreError.self) { try await store.save([]) }
        await #expect(throws: EnergyStoreError.self) { try await store.load() }
        store.fail(with: nil)
        #expect(try await store.load() == [record])
        #expect(store.saves == 1)
    }

    @Test func transportReturnsQueuedResponsesAndRecordsRequests() async throws {
        let transport = ScriptedTransport()
        transport.respond("{}")
        transport.respond("no", status: 503, contentType: "text/plain")
        transport.fail(CancellationError())
        transport.respond { request in HTTPResponse(body: .bytes(Array(request.target.utf8))) }
        func send(_ target: String) async throws -> HTTPResponse {
            try await transport.send(HTTPRequest(method: .get, target: target), timeout: .seconds(1))
        }
        let first = try await send("/a")
        #expect(first.status.code == 200)
        #expect(first.headers["Content-Type"] == "application/json")
        #expect(first.bytes == Array("{}".utf8))
        #expect(try await send("/b").status.code == 503)
        await #expect(throws: CancellationError.self) { try await send("/c") }
        #expect(try await send("/d").bytes == Array("/d".utf8))
        let error = await #expect(throws: HTTPClientError.self) { try await send("/e") }
        #expect(error?.code == .connect)
        #expect(transport.requests.map(\.target) == ["/a", "/b", "/c", "/d", "/e"])
    }

    @Test func capturesLogRecords() {
        let log = CapturingLogHandler()
        log.logger.info("Something happened", ["count": .int(3)])
        #expect(log.messages() == ["Something happened"])
        #expect(log.mentions("3"))
    }
}

/// A clock controlled by the test.
struct TestClockTests {
    @Test func wakesSleepersAtTheirDeadline() async throws {
        let clock = TestClock()
        async let early: Void = clock.sleep(for: .seconds(1))
        async let late: Void = clock.sleep(for: .seconds(3))
        try await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))
        try await early
        clock.advance(by: .seconds(2))
        try await late
        #expect(clock.now.monotonic == .seconds(3))
        // Sleeping until a past deadline returns immediately.
        try await clock.sleep(for: .seconds(-1))
    }

    @Test func endsACancelledSleep() async throws {
        let clock = TestClock()
        let task = Task { try await clock.sleep(for: .seconds(1)) }
        try await clock.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func limitsAWaitForSleepers() async throws {
        let clock = TestClock()
        let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
        try await clock.waitForSleepers()
        let error = await #expect(throws: TestClock.SleepersMissing.self) {
            try await clock.waitForSleepers(2, within: .milliseconds(1))
        }
        #expect(error.map { [$0.expected, $0.found] } == [2, 1])
        // No wait is needed for tasks that already sleep.
        try await clock.waitForSleepers(1, within: .zero)
        clock.advance(by: .seconds(1))
        try await sleeper.value
    }

    @Test(.timeLimit(.minutes(1))) func endsACancelledWaitForSleepers() async {
        let clock = TestClock()
        let waiting = Task { try await clock.waitForSleepers(1, within: .seconds(3600)) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func stepsTheWallClock() {
        let clock = TestClock()
        let start = clock.timeSource.now
        clock.stepWall(by: -3600)
        clock.advance(by: .seconds(10))
        let now = clock.timeSource.now
        #expect(now.monotonic - start.monotonic == .seconds(10))
        #expect(now.wall.timeIntervalSince(start.wall) == -3590)
    }
}

/// The sample in docs/modules/WPTestKit.md.
struct DocumentationTests {
    struct Unreachable: Error {}

    /// Reads devices once per minute and logs their number.
    func watch(_ source: any DeviceSource, clock: any TimeSource, logger: Logger) async throws {
        while true {
            let devices = try await source.readDevices()
            logger.info("Devices read", ["count": .int(devices.count)])
            try await clock.sleep(for: .seconds(60))
        }
    }

    @Test func readsDevicesOncePerMinute() async throws {
        let clock = TestClock()
        let log = CapturingLogHandler()
        let source = FakeDeviceSource()
        source.answer([.sample(id: "ups-1", time: clock.now)])
        source.fail(Unreachable())

        let watching = Task { try await watch(source, clock: clock, logger: log.logger) }
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(60))
        await #expect(throws: Unreachable.self) { try await watching.value }
        #expect(log.messages() == ["Devices read"])
    }

    @Test func createsCertificates() throws {
        let authority = try CertificateAuthority.generate()
        let expired = CertificateSubject(commonName: "ups.example", names: [.dns("ups.example")], notAfter: .now)
        let server: TLSContext = try authority.issue(for: expired).makeTLSContext()
        let bundle: String = authority.certificatePEM  // for the client's authorities

        #expect(!"\(server)".isEmpty)
        #expect(bundle.hasPrefix("-----BEGIN CERTIFICATE-----"))
    }
}
