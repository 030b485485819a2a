// SPDX-License-Identifier: MIT

import Testing
import WPCertificates
import WPClient
import WPHTTP
import WPLogging
import WPModel
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The fakes for other people's tests.
struct FakeTests {
    @Test func aSourceReturnsWhatIsQueued() async throws {
        let source = FakeDeviceSource()
        let clock = TestClock()
        let reading = DeviceReading.sample(id: "ups-7", time: clock.timeSource.now)
        source.answer([reading])
        source.fail(HTTPClientError(code: .connect, message: "refused"))
        source.answer { [reading, reading] }
        #expect(try await source.readDevices() == [reading])
        await #expect(throws: HTTPClientError.self) { try await source.readDevices() }
        #expect(try await source.readDevices().count == 2)
        #expect(try await source.readDevices().isEmpty)
    }

    @Test func aStoreKeepsCountsAndFails() async throws {
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

    @Test func aTransportGivesWhatIsQueuedAndKeepsTheRequests() async throws {
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

    @Test func aLogIsCaptured() {
        let log = CapturingLogHandler()
        log.logger.info("Something happened", ["count": .int(3)])
        #expect(log.messages() == ["Something happened"])
        #expect(log.mentions("3"))
    }
}

/// The clock that a test advances.
struct TestClockTests {
    @Test func sleepersWakeWhenTheirTimeHasCome() async throws {
        let clock = TestClock()
        async let early: Void = clock.sleep(for: .seconds(1))
        async let late: Void = clock.sleep(for: .seconds(3))
        try await clock.waitForSleepers(2)
        clock.advance(by: .seconds(1))
        try await early
        clock.advance(by: .seconds(2))
        try await late
        #expect(clock.now.offset == .seconds(3))
        // What is past does not sleep at all.
        try await clock.sleep(until: clock.now.advanced(by: .seconds(-1)), tolerance: nil)
    }

    @Test func aCancelledSleepEnds() async throws {
        let clock = TestClock()
        let task = Task { try await clock.sleep(for: .seconds(1)) }
        try await clock.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func aWaitForSleepersHasALimit() async throws {
        let clock = TestClock()
        let sleeper = Task { try await clock.sleep(for: .seconds(1)) }
        try await clock.waitForSleepers()
        let error = await #expect(throws: TestClock.SleepersMissing.self) {
            try await clock.waitForSleepers(2, within: .milliseconds(1))
        }
        #expect(error.map { [$0.expected, $0.found] } == [2, 1])
        // Those that sleep already need no time.
        try await clock.waitForSleepers(1, within: .zero)
        clock.advance(by: .seconds(1))
        try await sleeper.value
    }

    @Test(.timeLimit(.minutes(1))) func aCancelledWaitForSleepersEnds() async {
        let clock = TestClock()
        let waiting = Task { try await clock.waitForSleepers(1, within: .seconds(3600)) }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }

    @Test func theWallMayStep() {
        let clock = TestClock()
        let start = clock.timeSource.now
        clock.stepWall(by: -3600)
        clock.advance(by: .seconds(10))
        let now = clock.timeSource.now
        #expect(now.monotonic - start.monotonic == .seconds(10))
        #expect(now.wall.timeIntervalSince(start.wall) == -3590)
    }
}

/// The sample of docs/modules/WPTestKit.md.
struct DocumentationTests {
    struct Unreachable: Error {}

    /// Reads devices once a minute and logs how many there are.
    func watch(_ source: any DeviceSource, clock: any Clock<Duration>, logger: Logger) async throws {
        while true {
            let devices = try await source.readDevices()
            logger.info("Devices read", ["count": .int(devices.count)])
            try await clock.sleep(for: .seconds(60))
        }
    }

    @Test func devicesAreReadOnceAMinute() async throws {
        let clock = TestClock()
        let log = CapturingLogHandler()
        let source = FakeDeviceSource()
        source.answer([.sample(id: "ups-1", time: clock.timeSource.now)])
        source.fail(Unreachable())

        let watching = Task { try await watch(source, clock: clock, logger: log.logger) }
        try await clock.waitForSleepers()
        clock.advance(by: .seconds(60))
        await #expect(throws: Unreachable.self) { try await watching.value }
        #expect(log.messages() == ["Devices read"])
    }

    @Test func certificatesAreMade() throws {
        let authority = try CertificateAuthority.generate()
        let expired = CertificateSubject(commonName: "ups.example", names: [.dns("ups.example")], notAfter: .now)
        let server: TLSContext = try authority.issue(for: expired).makeTLSContext()
        let bundle: String = authority.certificatePEM  // for the client's authorities

        #expect(!"\(server)".isEmpty)
        #expect(bundle.hasPrefix("-----BEGIN CERTIFICATE-----"))
    }
}
