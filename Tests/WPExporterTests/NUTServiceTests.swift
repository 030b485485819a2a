// SPDX-License-Identifier: MIT

import Testing
import WPCollector
import WPConfig
import WPCore
@testable import WPExporter
import WPFleet
import WPLogging
import WPMetrics
import WPModel
@testable import WPNUT
@testable import WPProgram
import WPSettings
import WPTestKit

@Suite("The NUT service")
struct NUTServiceTests {
    private let clock = TestClock()
    private let registry = Registry()

    private func settings(_ change: (inout NUTSettings) -> Void = { _ in }) throws -> ExporterSettings {
        var settings = ExporterSettings()
        settings.nut.enabled = true
        settings.nut.listen = try SettingFormat<NUTAddresses>.nutAddresses.parse("127.0.0.1:0")
        change(&settings.nut)
        return settings
    }

    private func service(_ settings: ExporterSettings) throws -> NUTService {
        try NUTService(settings, timeSource: clock.timeSource, registry: registry, logger: .silent)
    }

    private func snapshot(_ id: String = "a") -> CollectionSnapshot {
        let now = clock.timeSource.now
        return CollectionSnapshot(generation: 1, readings: [.sample(id: id, time: now)], lastEnd: now, lastSuccess: now)
    }

    /// The values of a metric.
    private func available() async -> [MetricValue]? {
        let families = await registry.gather().families
        return families.first { $0.descriptor.name == "winpower_exporter_nut_ups_data_available" }?.metrics.map(\.value)
    }

    @Test func isDisabledByDefault() async throws {
        let service = try service(ExporterSettings())
        #expect(service.health == nil && service.ports.isEmpty && service.address(of: DeviceID("a")) == nil)
        let families = await registry.gather().families.filter { $0.descriptor.name.contains("_nut_") }
        #expect(families.allSatisfy { $0.metrics.isEmpty })
    }

    @Test(.timeLimit(.minutes(1))) func publishesCollectedReadings() async throws {
        let service = try service(try settings())
        let port = try #require(service.ports.first)
        service.publish(CollectionSnapshot(remembered: [Device(id: DeviceID("a"))]))
        let running = Task { await service.run() }
        #expect(await eventually { service.health?.upses == 1 })
        #expect(service.health?.available == 0)
        service.publish(snapshot())
        #expect(await eventually { service.health?.available == 1 })
        #expect(await available() == [.value(1)])
        // The page also shows its address while the service runs.
        #expect(service.address(of: DeviceID("a")) == NUTAddress(name: "a", port: port))
        #expect(service.address(of: DeviceID("b")) == nil)
        // A failed collection does not make data current.
        clock.advance(by: .seconds(16))
        var failed = snapshot()
        failed.failure = FailureRun(reason: .connect, message: "", since: clock.timeSource.now, count: 1)
        service.publish(failed)
        #expect(service.health?.available == 0)
        #expect(await available() == [.value(0)])
        running.cancel()
        await running.value
    }

    @Test(.timeLimit(.minutes(1))) func reloadsAllButTheAddress() async throws {
        let old = try settings()
        let service = try service(old)
        let running = Task { await service.run() }
        service.publish(snapshot())
        #expect(await eventually { service.health?.available == 1 })
        let new = try settings { $0.names = (try? SettingFormat<NUTNames>.nutNames.parse("a=rack")) ?? NUTNames() }
        let commit = try await service.step.prepare(new, old)
        #expect(service.statistics?.upses.map(\.name) == ["a"])
        await commit()
        #expect(service.statistics?.upses.map(\.name) == ["rack"])
        #expect(service.address(of: DeviceID("a"))?.name == "rack")
        let broken = try settings { $0.usersFile = "/does/not/exist" }
        await #expect(throws: (any Error).self) { try await service.step.prepare(broken, new) }
        let off = try settings { $0.enabled = false }
        await (try service.step.prepare(off, new))()
        #expect(service.health == nil && service.address(of: DeviceID("a")) == nil)
        await (try service.step.prepare(new, off))()
        #expect(await eventually { service.health?.available == 1 })
        running.cancel()
        await running.value
    }

    @Test func summarizesItsUPSesForHealth() {
        var statistics = NUTServer.Statistics()
        statistics.openConnections = 4
        statistics.upses = [
            .init(device: DeviceID("a"), name: "rack", isAvailable: true, logins: 2, isForcedShutdown: false),
            .init(device: DeviceID("b"), name: "room", isAvailable: false, logins: 1, isForcedShutdown: true),
        ]
        let health = NUTHealth(statistics)
        #expect([health.connections, health.upses, health.available, health.logins] == [4, 2, 1, 3])
        #expect(health.forcedShutdowns == ["room"])
    }

    @Test func reportsFaultsWithTheirLocations() throws {
        let directory = try TemporaryDirectory()
        let users = try directory.write("nonsense", to: "upsd.users")
        let wrong = try settings {
            $0.usersFile = users
            $0.allow = "10.0.0.0/99"
            $0.names = (try? SettingFormat<NUTNames>.nutNames.parse("a=机房")) ?? NUTNames()
        }
        #expect(SettingsContents.problems(in: wrong).count == 3)
        #expect(SettingsContents.problems(in: try settings()).isEmpty)
    }
}
