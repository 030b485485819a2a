// SPDX-License-Identifier: MIT

import Testing
import WPConfig
import WPHTTP
import WPHub
import WPLogging
import WPMetrics
import WPServer
import WPSimulator
import WPTestKit

@testable import WPExporter

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("The hub, and a server that reports to it", .timeLimit(.minutes(2)))
struct HubTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Runs a hub and gives a client of it and its address.
    private func withHub(
        _ settings: [String: String] = [:],
        _ body: (HTTPClient, String) async throws -> Void
    ) async throws {
        var all = settings
        all["winpower.base_url"] = "http://127.0.0.1:1"
        all["storage.data_dir"] = directory.file("hub")
        let hub = try await Hub.open(try Stack.settings("http://127.0.0.1:1", directory, all), logger: .silent)
        let address = "http://127.0.0.1:\(try #require(hub.server.port))"
        let run = Task { try await hub.run() }
        let client = try HTTPClient(.init(origin: try HTTPOrigin(parsing: address)))
        do {
            try await body(client, address)
        } catch {
            run.cancel()
            throw error
        }
        client.close()
        run.cancel()
        try await run.value
    }

    private func send(
        _ client: HTTPClient,
        _ target: String,
        _ body: String? = nil,
        token: String? = nil
    ) async throws -> (status: Int, text: String) {
        var request = HTTPRequest(method: body == nil ? .get : .post, target: target, body: Array((body ?? "").utf8))
        if let token { request.headers["Authorization"] = "Bearer \(token)" }
        let response = try await client.send(request, timeout: .seconds(60))
        return (response.status.code, String(decoding: response.bytes, as: UTF8.self))
    }

    private func node(_ name: String) -> String {
        "{\"node_name\":\"\(name)\",\"timestamp\":\"\(RFC3339.string(Date()))\"}"
    }

    @Test func takesReportsAndShowsThem() async throws {
        try await withHub { client, _ in
            #expect(try await send(client, "/metrics/node", node("a")).status == 200)
            #expect(
                try await send(client, "/api/v2/clusters/default/node-metrics/a").text.contains("\"node_name\":\"a\"")
            )
            #expect(try await send(client, "/health").text.contains("\"nodes\":1"))
            let exposition = try await send(client, "/metrics").text
            #expect(exposition.contains("winpower_hub_reports_total{kind=\"node\"} 1\n"))
            #expect(exposition.contains("winpower_hub_subjects{kind=\"node\",state=\"online\"} 1\n"))
            #expect(exposition.contains("winpower_hub_sender_clock_skew_seconds{sender=\"node/a\"} 0\n"))
            #expect(try await send(client, "/").status == 200)
            #expect(try await send(client, "/metrics/node").status == 405)
        }
    }

    @Test(arguments: [
        ("{", 400), ("{\"node_name\":\"..\",\"timestamp\":\"2026-01-01T00:00:00Z\"}", 400),
        ("{\"node_name\":\"a\",\"timestamp\":\"2999-01-01T00:00:00Z\"}", 422),
        ("{\"node_name\":\"a\",\"timestamp\":\"2001-01-01T00:00:00Z\"}", 422),
        (String(repeating: " ", count: 1 << 20 + 1), 413),
    ])
    func refusesWhatItCanNotKeep(_ body: String, _ status: Int) async throws {
        try await withHub { client, _ in
            let answer = try await send(client, "/metrics/node", body)
            #expect(answer.status == status)
            #expect(answer.text.contains("\"error\":"))
        }
    }

    @Test func asksForItsToken() async throws {
        try await withHub(["hub.token": "right"]) { client, _ in
            for target in ["/metrics", "/", "/api/v2/clusters"] {
                let none = try await send(client, target)
                let wrong = try await send(client, target, token: "wrong")
                let right = try await send(client, target, token: "right")
                #expect([none.status, wrong.status, right.status] == [401, 401, 200])
            }
            #expect(try await send(client, "/metrics/node", node("a")).status == 401)
            #expect(try await send(client, "/metrics/node", node("a"), token: "right").status == 200)
            #expect(try await send(client, "/health").status == 200)
        }
    }

    @Test func aServerReportsToIt() async throws {
        try await withHub(["hub.token": "right"]) { client, address in
            let simulator = WinPowerSimulator(configuration: SimulatorConfiguration(deviceCount: 2))
            let upstream = SimulatorServer(simulator: simulator)
            try upstream.bind()
            let settings = ["hub.url": address, "hub.site": "hq", "hub.token": "right"]
            let exporter = try await Composition.exporter(
                loaded: try Stack.settings(try #require(upstream.url), directory, settings),
                logger: .silent
            )
            let tasks = [Task { try await upstream.run() }, Task { try await exporter.run() }]
            var shown = ""
            for _ in 0..<1000 where !shown.contains("\"total_ups\":2") {
                try await Task.sleep(for: .milliseconds(10))
                shown = try await send(client, "/api/v2/clusters/default/ups", token: "right").text
            }
            #expect(shown.contains("\"total_ups\":2"))
            #expect(shown.contains("\"site\":\"hq\""))
            let sent = await exporter.registry.gather().families.value("winpower_exporter_hub_reports_sent_total")
            #expect(sent.map { $0 >= 1 } == true)
            for task in tasks { task.cancel() }
            for task in tasks { try await task.value }
        }
    }
}
