// SPDX-License-Identifier: MIT

import Testing
import WPCollector
import WPConfig
import WPHTTP
import WPMetrics
import WPModel
import WPServer
import WPStorage
import WPTestKit

@testable import WPExporter

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
        settings.scheduler.collectionInterval = .seconds(1)
        let parts = Exporter.Parts(source: source, store: MemoryEnergyStore())
        return try await Exporter(settings: settings, parts: parts)
    }

    @Test func twoRunInOneProcessBesideOtherRoutes() async throws {
        let exporters = [try await exporter("one", watts: 100), try await exporter("two", watts: 200)]
        var servers: [HTTPServer] = []
        for exporter in exporters {
            var router = HTTPRouter()
            exporter.mount(on: &router)
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
            while exporters[index].snapshot.generation == 0 { await Task.yield() }
            let families = try TextParser().parse(try await get(port, "/metrics").bytes)
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

    @Test func withoutAServerToReadItSaysWhatIsMissing() async throws {
        await #expect(throws: (any Error).self) {
            try await Exporter(settings: ExporterSettings(), parts: Exporter.Parts(store: MemoryEnergyStore()))
        }
    }
}
