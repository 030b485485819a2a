// SPDX-License-Identifier: MIT

import Testing
import WPConfig
import WPCore
import WPFleet
import WPHTTP
import WPHistory
import WPHub
import WPMetrics
import WPProgram
import WPServer
import WPSettings
import WPTestKit

@Suite("The hub inside another program", .timeLimit(.minutes(2)))
struct EmbeddedHubTests {
    private let directory: TemporaryDirectory
    private let clock = TestClock()

    init() throws {
        directory = try TemporaryDirectory()
    }

    private var settings: HubSettings {
        var settings = HubSettings()
        settings.storage.dataDir = directory.file("hub")
        settings.hub.token = Secret("a token of the shop")
        return settings
    }

    private func send(_ router: HTTPRouter, _ target: String, _ body: String? = nil) async throws -> (Int, String) {
        var request = HTTPRequest(method: body == nil ? .get : .post, target: target, body: Array((body ?? "").utf8))
        request.headers["Authorization"] = "Bearer a token of the shop"
        if body != nil { request.headers["Content-Type"] = "application/json" }
        let response = try await router.respond(to: request)
        return (response.status.code, String(decoding: response.bytes, as: UTF8.self))
    }

    @Test func acceptsReportsBesideOtherRoutes() async throws {
        let registry = Registry()
        let parts = ProgramParts(
            registry: registry,
            timeSource: clock,
            host: HostProgram(name: "shop-server", version: "2.3")
        )
        let hub = try await Hub(settings: settings, parts: parts)
        #expect(hub.registry === registry)
        var router = HTTPRouter()
        try hub.mount(on: &router, under: "/hub")
        router.on(.get, "/orders") { _ in .text("3 orders\n") }
        let running = Task { try await hub.run() }

        let report = "{\"node_name\":\"web-1\",\"timestamp\":\"\(RFC3339.string(clock.now.wall))\"}"
        #expect(try await router.respond(to: HTTPRequest(target: "/hub/metrics")).status.code == 401)
        #expect(try await send(router, "/hub/metrics/node", report).0 == 200)
        #expect(try await send(router, "/hub/api/v2/clusters/default/node-metrics/web-1").0 == 200)
        #expect(try await send(router, "/hub/").1.contains("<html"))
        #expect(try await send(router, "/orders").1 == "3 orders\n")
        let web = HistorySubject(kind: .node, name: "web-1")
        #expect(hub.fleet.freshness(of: web) == .online)

        #expect(!(try await send(router, "/hub/metrics").1.contains("winpower_hub_hidden_subjects")))
        var changed = settings
        changed.hub.subjectMetrics = 10
        changed.hub.cluster = "other"
        let (keys, waiting) = try await hub.reload(changed)
        #expect(keys == ["hub.subject_metrics"] && waiting == ["hub.cluster"])
        let metrics = try await send(router, "/hub/metrics").1
        #expect(metrics.contains("winpower_hub_hidden_subjects 0\n"))
        #expect(metrics.contains("shop_server_build_info{") && metrics.contains("version=\"2.3\""))

        await #expect(throws: HistoryStoreError.self) { try await Hub(settings: settings) }
        running.cancel()
        try await running.value
        let history = try await History.open(.directory(settings.storage.dataDir), timeSource: clock)
        #expect(history.subjects == [web])
        await history.close()
    }

    @Test func listensOnlyWithATokenForOthers() async throws {
        var open = settings
        open.hub.token = nil
        open.server.host = "0.0.0.0"
        open.server.port = 0
        let faults = await #expect(throws: SettingsFaults.self) { try await Hub(settings: open, listens: true) }
        #expect(faults?.faults.map(\.key) == ["hub.token_file"])
        var wrong = settings
        wrong.hub.subjectMetrics = -1
        let others = await #expect(throws: SettingsFaults.self) { try await Hub(settings: wrong) }
        #expect(others?.faults.map(\.key) == ["hub.subject_metrics"])
    }
}
