// SPDX-License-Identifier: MIT

import Testing
import WPConfig
import WPCore
@testable import WPExporter
import WPHTTP
@testable import WPHub
import WPServer
import WPLogging
import WPProgram
import WPSimulator
import WPTestKit

@Suite("A server that reports to a hub", .timeLimit(.minutes(2)))
struct HubReportingTests {
    @Test(arguments: [true, false]) func sendsItsDevices(hasHistory: Bool) async throws {
        let directory = try TemporaryDirectory()
        var settings = HubSettings()
        settings.server.host = "127.0.0.1"
        settings.server.port = 0
        settings.storage.dataDir = directory.file("hub")
        settings.hub.token = Secret("right")
        let hub = try await Hub(settings: settings, listens: true)
        let upstream = SimulatorServer(
            simulator: WinPowerSimulator(configuration: SimulatorConfiguration(deviceCount: 2))
        )
        try upstream.bind()
        let exporter = try await Exporter(
            loaded: try Stack.settings(
                try #require(upstream.url),
                directory,
                [
                    "hub.url": "http://127.0.0.1:\(try #require(hub.server?.port))", "hub.site": "hq",
                    "hub.token": "right", "history.enabled": "\(hasHistory)",
                ]
            )
        )
        let tasks = [
            Task { try await hub.run() }, Task { try await upstream.run() }, Task { try await exporter.run() },
        ]
        var list = HTTPRequest(target: "/api/v2/clusters/default/ups")
        list.headers["Authorization"] = "Bearer right"
        var shown = ""
        #expect(
            try await eventually {
                shown = String(decoding: try await hub.handler.respond(to: list).bytes, as: UTF8.self)
                return shown.contains("\"total_ups\":2")
            }
        )
        #expect(shown.contains("\"site\":\"hq\""))
        // The hub shows a report before the exporter has its answer.
        let isCounted = await eventually {
            await exporter.registry.value(of: "winpower_exporter_hub_reports_sent_total").map { $0 >= 1 } == true
        }
        #expect(isCounted)
        for task in tasks { task.cancel() }
        for task in tasks { try await task.value }
    }

    /// A reload that another component rejects must leave no trace of the hub.
    @Test func hasMetricsOnlyOnceItReports() async throws {
        let taken = try ReservedPort()
        let stack = try await Stack(settings: ["nut.listen": "127.0.0.1:\(taken.port)"])
        let sent = "winpower_exporter_hub_reports_sent_total"
        stack.change([
            "hub.url": "http://127.0.0.1:1", "hub.site": "hq", "hub.token": "right", "nut.enabled": "true",
        ])
        guard case .rejected = await stack.reload() else {
            Issue.record("The NUT server cannot listen there")
            return
        }
        #expect(await stack.exporter.registry.value(of: sent) == nil)
        stack.change(["nut.enabled": "false"])
        guard case .applied = await stack.reload() else {
            Issue.record("The settings are valid")
            return
        }
        #expect(await stack.exporter.registry.value(of: sent) == 0)
        try await stack.stop()
    }
}
