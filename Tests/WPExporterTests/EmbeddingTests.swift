// SPDX-License-Identifier: MIT

import Testing
import WPCollector
import WPConfig
import WPCore
@testable import WPExporter
import WPHTTP
import WPLogging
import WPMetrics
import WPModel
@testable import WPProgram
import WPServer
import WPSettings
import WPStorage
import WPTestKit

@Suite("The exporter inside another program", .timeLimit(.minutes(2)))
struct EmbeddingTests {
    private func get(_ port: Int, _ target: String) async throws -> HTTPResponse {
        let client = try HTTPClient(
            HTTPClient.Configuration(origin: try HTTPOrigin(parsing: "http://127.0.0.1:\(port)"))
        )
        defer { client.close() }
        return try await client.send(HTTPRequest(target: target), timeout: .seconds(30))
    }

    private func exporter(_ id: String, watts: Double) async throws -> Exporter {
        let source = FakeDeviceSource()
        source.answer([
            .sample(id: id, alias: "UPS " + id, watts: watts, time: SystemTimeSource().now)
        ])
        var settings = ExporterSettings()
        settings.scheduler.collectionInterval = .seconds(1000)
        // One cycle, however slow the machine is.
        settings.metrics.staleAfter = .seconds(3600)
        let parts = Exporter.Parts(source: source, store: MemoryEnergyStore())
        return try await Exporter(settings: settings, parts: parts)
    }

    @Test func runsTwiceInOneProcessBesideOtherRoutes() async throws {
        let exporters = [try await exporter("one", watts: 100), try await exporter("two", watts: 200)]
        var servers: [HTTPServer] = []
        for exporter in exporters {
            var router = HTTPRouter()
            try exporter.mount(on: &router)
            router.on(.get, "/orders") { _ in .text("3 orders\n") }
            let server = HTTPServer(HTTPServer.Configuration(host: "127.0.0.1", port: 0), handler: router)
            try server.bind()
            servers.append(server)
        }
        let tasks =
            exporters.map { exporter in Task { try await exporter.run() } }
            + servers.map { server in Task { try await server.run() } }
        for (index, id) in ["one", "two"].enumerated() {
            let port = try #require(servers[index].port)
            #expect(await eventually { exporters[index].snapshot.generation > 0 })
            let families = try ExpositionFormat.text.parse(try await get(port, "/metrics").bytes)
            let found = families.metrics("winpower_device_load_total_watts")
            #expect(found.map { $0.labels["device_id"] } == [id])
            #expect(found.first?.value == .value(index == 0 ? 100 : 200))
            #expect(try await get(port, "/orders").bytes == Array("3 orders\n".utf8))
            #expect(try await get(port, "/health").status == .ok)
            #expect(try await get(port, "/debug/").status == .notFound)
        }
        for task in tasks { task.cancel() }
        for task in tasks { try await task.value }
    }

    /// The keys of the settings that an exporter with its own device source rejects.
    private func faultyKeys(_ change: (inout ExporterSettings) -> Void) async throws -> [String?] {
        var settings = ExporterSettings()
        change(&settings)
        do {
            let parts = Exporter.Parts(source: FakeDeviceSource(), store: MemoryEnergyStore())
            let exporter = try await Exporter(settings: settings, parts: parts)
            try await exporter.finish()
            return []
        } catch let faults as SettingsFaults {
            return faults.faults.map(\.key)
        }
    }

    @Test func reportsMissingServerSettings() async throws {
        let faults = await #expect(throws: SettingsFaults.self) {
            try await Exporter(settings: ExporterSettings(), parts: Exporter.Parts(store: MemoryEnergyStore()))
        }
        #expect(faults?.faults.map(\.key) == ["winpower.base_url", "winpower.username", "winpower.password"])
        #expect(faults?.faults.allSatisfy { $0.code == .missing } == true)
    }

    @Test func rejectsAUserWithoutAPassword() async throws {
        #expect(try await faultyKeys { $0.server.auth.username = "prometheus" } == ["server.auth.username"])
        let keys = try await faultyKeys { settings in
            settings.server.auth.username = "prometheus"
            settings.server.auth.password = Secret("")
        }
        #expect(keys == ["server.auth.password"])
        #expect(throws: AccessControl.Incomplete.self) {
            var settings = ExporterSettings()
            settings.server.auth.username = "prometheus"
            _ = try AccessControl.make(
                settings.server.auth,
                realm: "x",
                passwords: PasswordChecker(),
                timeSource: TestClock().timeSource,
                logger: .silent
            )
        }
    }

    @Test func validatesAssignedSettings() async throws {
        #expect(try await faultyKeys { _ in }.isEmpty)
        #expect(
            try await faultyKeys { $0.scheduler.collectionInterval = .seconds(-5) } == ["scheduler.collection_interval"]
        )
        #expect(try await faultyKeys { $0.energy.plausibilityMargin = .nan } == ["energy.plausibility_margin"])
        #expect(try await faultyKeys { $0.server.port = 65_536 } == ["server.port"])
        #expect(try await faultyKeys { $0.server.tls.certFile = "/nowhere" }.contains("server.tls.cert_file"))
        #expect(try await faultyKeys { $0.winpower.caFile = "/nowhere" } == ["winpower.ca_file"])
        #expect(try await faultyKeys { $0.server.auth.bearerToken = Secret("a\nb") } == ["server.auth.bearer_token"])
    }

    @Test func appliesSettingsOfItsHostAndMountsBelowAPrefix() async throws {
        let exporter = try await exporter("one", watts: 100)
        var router = HTTPRouter()
        router.on(.get, "/metrics") { _ in .text("the host's") }
        try exporter.mount(on: &router, under: "/ups")
        #expect(await exporter.collect().generation == 1)
        var request = HTTPRequest(target: "/ups/metrics")
        let text = String(decoding: try await router.respond(to: request).bytes, as: UTF8.self)
        #expect(text.contains("winpower_device_load_total_watts{"))
        var settings = ExporterSettings()
        settings.server.auth.bearerToken = Secret("token")
        settings.server.port = 1
        let result = try await exporter.reload(settings)
        #expect(result.changed.contains("server.auth.bearer_token") && result.waiting == ["server.port"])
        #expect(try await router.respond(to: request).status == .unauthorized)
        request.headers["Authorization"] = "Bearer token"
        #expect(try await router.respond(to: request).status == .ok)
        settings.server.port = -1
        await #expect(throws: ReloadRejected.self) { try await exporter.reload(settings) }
    }

    @Test(arguments: ["", "/ups"]) func mountsAChoiceOfRoutes(_ prefix: String) async throws {
        let exporter = try await exporter("one", watts: 100)
        var router = HTTPRouter()
        try exporter.mount(on: &router, under: prefix, routes: [.metrics], access: .open)
        router.accessControl = HTTPAccessControl { HTTPAccessControl.Credentials(bearer: { _ in false }) }
        #expect(try await router.respond(to: HTTPRequest(target: prefix + "/metrics")).status == .ok)
        router.accessControl = nil
        for path in ["/health", "/", "/debug/", "/-/reload"] where prefix + path != "/" {
            let status = try await router.respond(to: HTTPRequest(target: prefix + path)).status
            #expect(status == .notFound, "\(path)")
        }
        try await exporter.finish()
    }

    @Test func rejectsAPrefixInUse() async throws {
        let exporter = try await exporter("one", watts: 100)
        var router = HTTPRouter()
        try exporter.mount(on: &router, under: "/ups")
        let error = #expect(throws: HTTPRouter.RouteExists.self) { try exporter.mount(on: &router, under: "/ups") }
        #expect(error?.path == "/ups/")
        try await exporter.finish()
    }

    @Test func usesTheClockOfItsHost() async throws {
        let clock = TestClock()
        let source = FakeDeviceSource(repeatLast: true)
        source.answer { [.sample(id: "one", watts: 100, time: clock.now)] }
        let exporter = try await Exporter(
            settings: ExporterSettings(),
            parts: Exporter.Parts(
                source: source,
                store: MemoryEnergyStore(),
                program: ProgramParts(timeSource: clock.timeSource)
            )
        )
        let running = Task { try await exporter.run() }
        for cycle in 1...4 {
            #expect(await eventually { exporter.snapshot.generation >= cycle })
            try await clock.waitForSleepers()
            if cycle < 4 { clock.advance(by: .seconds(5)) }
        }
        #expect(exporter.snapshot.totals[DeviceID("one")]?.joules == 1500)
        clock.advance(by: .seconds(2))
        let health = try await exporter.handler.respond(to: HTTPRequest(target: "/health")).bytes
        #expect(String(decoding: health, as: UTF8.self).contains("\"uptime_seconds\":17"))
        running.cancel()
        try await running.value
    }

    @Test func changesTheIntervalOnReload() async throws {
        let clock = TestClock()
        let source = FakeDeviceSource(repeatLast: true)
        source.answer { [.sample(id: "one", watts: 100, time: clock.now)] }
        var settings = ExporterSettings()
        settings.scheduler.collectionInterval = .seconds(600)
        let exporter = try await Exporter(
            settings: settings,
            parts: Exporter.Parts(
                source: source,
                store: MemoryEnergyStore(),
                program: ProgramParts(timeSource: clock.timeSource)
            )
        )
        let running = Task { try await exporter.run() }
        #expect(await eventually { exporter.snapshot.generation == 1 })
        try await clock.waitForSleepers()
        settings.scheduler.collectionInterval = .seconds(10)
        #expect(try await exporter.reload(settings).changed.contains("scheduler.collection_interval"))
        clock.advance(by: .seconds(10))
        #expect(await eventually { exporter.snapshot.generation == 2 })
        running.cancel()
        try await running.value
    }

    @Test func collectingOnceReachesTheHistory() async throws {
        let directory = try TemporaryDirectory()
        let source = FakeDeviceSource(repeatLast: true)
        source.answer { [.sample(id: "one", watts: 100, time: SystemTimeSource().now)] }
        var settings = ExporterSettings()
        settings.storage.dataDir = directory.path
        settings.scheduler.collectionInterval = .seconds(1000)
        let exporter = try await Exporter(settings: settings, parts: Exporter.Parts(source: source), keepsHistory: true)
        await exporter.collect()
        let running = Task { try await exporter.run() }
        let request = HTTPRequest(target: "/api/v2/clusters/default/overview")
        let overview = try await exporter.handler.respond(to: request)
        #expect(overview.status == .ok)
        #expect(String(decoding: overview.bytes, as: UTF8.self).contains("UPS 1"))
        running.cancel()
        try await running.value
    }

    @Test func doesNotReplaceARouteOfTheHost() async throws {
        let exporter = try await exporter("one", watts: 100)
        for path in ["/health", "/metrics"] {
            var router = HTTPRouter()
            router.on(.get, path) { _ in .text("the host's own\n") }
            let error = #expect(throws: HTTPRouter.RouteExists.self) { try exporter.mount(on: &router) }
            #expect(error?.path == path)
            #expect("\(try #require(error))".contains(path))
            #expect(try await router.respond(to: HTTPRequest(target: path)).bytes == Array("the host's own\n".utf8))
            let other = path == "/health" ? "/metrics" : "/health"
            #expect(try await router.respond(to: HTTPRequest(target: other)).status == .notFound)
        }
        var router = HTTPRouter()
        try exporter.mount(on: &router)
        #expect(throws: HTTPRouter.RouteExists.self) { try exporter.mount(on: &router) }
        try await exporter.finish()
    }

    @Test func rejectsAReloadWithNothingToLoad() async throws {
        var settings = ExporterSettings()
        settings.server.enableReload = true
        let exporter = try await Exporter(
            settings: settings,
            parts: Exporter.Parts(source: FakeDeviceSource(), store: MemoryEnergyStore())
        )
        var request = HTTPRequest(target: "/-/reload")
        request.method = .put
        let response = try await exporter.handler.respond(to: request)
        #expect(response.status.code == 422)
        #expect(String(decoding: response.bytes, as: UTF8.self).contains("there is nothing to load"))
        try await exporter.finish()
    }
}
