// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPConfig
import WPCore
import WPFleet
import WPHTTP
import WPHistory
@testable import WPHub
import WPLogging
import WPMetrics
import WPModel
@testable import WPProgram
import WPServer
import WPSettings
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("The hub", .timeLimit(.minutes(2)))
struct HubTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    /// Runs a hub and passes a client and the hub's address to the test.
    private func withHub(
        _ settings: [String: String] = [:],
        changes: Changes = Changes(),
        _ body: (HTTPClient, String) async throws -> Void
    ) async throws {
        let load = { @Sendable [directory] in
            var all = settings.merging(changes.values) { _, new in new }
            all["storage.data_dir"] = directory.file("hub")
            return try Self.settings(all)
        }
        let hub = try await ProgramFrame<HubProgram>(
            try load(),
            listening: .some([]),
            parts: ProgramParts(),
            reloading: .init(load: load)
        )
        let address = "http://127.0.0.1:\(try #require(hub.server?.port))"
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

    private static func settings(_ values: [String: String]) throws -> LoadedSettings<HubSettings> {
        let base = ["server.host": "127.0.0.1", "server.port": "0"]
        let all = base.merging(values) { _, new in new }.sorted { $0.key < $1.key }
        return try SettingsLoader(HubSettings.table, environment: [:]).load(
            flags: all.map { ParsedFlag("--\($0.key)", key: $0.key, value: $0.value) },
            checksFiles: false
        )
    }

    @Test func parsesReportsOffTheServersThread() async throws {
        let time = WatchedTimeSource(TestClock().timeSource)
        let history = try await History(MemoryHistoryStore(), timeSource: time, logger: .silent)
        let intake = ReportIntake(Fleet(history, timeSource: time), timeSource: time, logger: .silent)
        let moment = RFC3339.string(time.now.wall)
        time.forget()
        let response = try await time.thread.run {
            var request = HTTPRequest(method: .post, target: "/metrics/node")
            request.headers["Content-Type"] = "application/json"
            request.body = Array("{\"node_name\":\"n\",\"timestamp\":\"\(moment)\"}".utf8)
            return try await ReportEndpoint(kind: .node, intake: intake).respond(to: request, from: .anybody)
        }
        #expect(response.status == .ok)
        #expect(time.wasReadElsewhere)
    }

    /// Settings that take effect on a reload.
    private final class Changes: Sendable {
        private let stored = Mutex<[String: String]>([:])
        var values: [String: String] { stored.withLock { $0 } }
        func set(_ key: String, _ value: String) { stored.withLock { $0[key] = value } }
    }

    private func reload(_ client: HTTPClient, token: String? = nil) async throws -> (status: Int, text: String) {
        var request = HTTPRequest(method: .put, target: "/-/reload")
        if let token { request.headers["Authorization"] = "Bearer \(token)" }
        let response = try await client.send(request, timeout: .seconds(60))
        return (response.status.code, String(decoding: response.bytes, as: UTF8.self))
    }

    private func send(
        _ client: HTTPClient,
        _ target: String,
        _ body: String? = nil,
        token: String? = nil
    ) async throws -> (status: Int, text: String) {
        var request = HTTPRequest(method: body == nil ? .get : .post, target: target, body: Array((body ?? "").utf8))
        if body != nil { request.headers["Content-Type"] = "application/json" }
        if let token { request.headers["Authorization"] = "Bearer \(token)" }
        let response = try await client.send(request, timeout: .seconds(60))
        return (response.status.code, String(decoding: response.bytes, as: UTF8.self))
    }

    private func node(_ name: String) -> String {
        "{\"node_name\":\"\(name)\",\"timestamp\":\"\(RFC3339.string(Date()))\"}"
    }

    @Test func acceptsAndServesReports() async throws {
        try await withHub { client, _ in
            let receipt = try await send(client, "/metrics/node", node("a"))
            #expect(receipt.status == 200)
            #expect(receipt.text == "{\"status\":\"ok\",\"recorded\":1,\"duplicates\":0}\n")
            #expect(
                try await send(client, "/api/v2/clusters/default/node-metrics/a").text.contains("\"node_name\":\"a\"")
            )
            let health = try await send(client, "/health").text
            for member in ["\"nodes\":1", "\"nodes_online\":1", "\"ups\":0", "\"ups_online\":0"] {
                #expect(health.contains(member), "\(member)")
            }
            let exposition = try await send(client, "/metrics").text
            #expect(exposition.contains("winpower_hub_reports_total{kind=\"node\"} 1\n"))
            #expect(exposition.contains("winpower_hub_subjects{kind=\"node\",state=\"online\"} 1\n"))
            #expect(exposition.contains("winpower_hub_sender_clock_skew_seconds{sender=\"node/a\"} 0\n"))
            #expect(try await send(client, "/").status == 200)
            #expect(try await send(client, "/metrics/node").status == 405)
        }
    }

    @Test func redirectsAtlhypersPathToThePage() async throws {
        try await withHub { client, _ in
            let response = try await client.send(HTTPRequest(target: "/system/metrics"), timeout: .seconds(60))
            #expect(response.status.code == 302)
            #expect(response.headers["Location"] == "/")
        }
    }

    @Test(
        arguments: [
            // Request headers, and the status of a read and of a report.
            ([:], 200, 200),
            (["Host": "localhost:8082"], 200, 200), (["Host": "[::1]:8082"], 200, 200),
            (["Host": "192.0.2.7"], 200, 200),
            (["Host": "hub.example.com"], 200, 200), (["Host": "HUB.example.com.:80"], 200, 200),
            (["Host": "evil.example"], 403, 403), (["Host": "localhost.evil.example"], 403, 403),
            (["Host": ""], 403, 403),
            (["Host": "localhost:8082", "Origin": "http://localhost:8082"], 200, 200),
            (["Host": "hub.example.com", "Origin": "https://hub.example.com"], 200, 200),
            (["Host": "hub.example.com:443", "Origin": "https://hub.example.com"], 200, 200),
            (["Host": "localhost:8082", "Origin": "http://localhost:9999"], 200, 403),
            (["Host": "localhost:8082", "Origin": "https://evil.example"], 200, 403),
            (["Host": "localhost:8082", "Origin": "null"], 200, 403),
            (["Host": "localhost:8082", "Sec-Fetch-Site": "cross-site"], 200, 403),
            (["Host": "localhost:8082", "Sec-Fetch-Site": "same-origin"], 200, 200),
        ] as [([String: String], Int, Int)]
    )
    func rejectsCrossSiteRequests(_ headers: [String: String], _ read: Int, _ report: Int) async throws {
        let guarded = BrowserGuard(
            handler: ClosureHTTPHandler { _ in .text("") },
            names: ["hub.example.com"]
        )
        var request = HTTPRequest(method: .get, target: "/metrics")
        for (name, value) in headers { request.headers.append(name: name, value: value) }
        #expect(try await guarded.respond(to: request).status.code == read)
        request.method = .post
        #expect(try await guarded.respond(to: request).status.code == report)
        // A hub with a token accepts any host name, but still rejects requests from other sites.
        let open = BrowserGuard(handler: guarded.handler, names: nil)
        request.headers["Origin"] = "https://attacker.example"
        #expect(try await open.respond(to: request).status.code == 403)
    }

    @Test(arguments: [
        (nil, 415), ("text/plain", 415), ("application/x-www-form-urlencoded", 415), ("application/jsonp", 415),
        ("application/json", 200), ("Application/JSON; charset=utf-8", 200),
    ])
    func acceptsOnlyJSONReports(_ type: String?, _ status: Int) async throws {
        try await withHub { client, _ in
            var request = HTTPRequest(method: .post, target: "/metrics/node", body: Array(node("a").utf8))
            if let type { request.headers["Content-Type"] = type }
            let response = try await client.send(request, timeout: .seconds(60))
            #expect(response.status.code == status)
            let refused = "winpower_hub_reports_refused_total{reason=\"malformed\"} \(status == 200 ? 0 : 1)\n"
            #expect(try await send(client, "/metrics").text.contains(refused))
        }
    }

    @Test(arguments: [
        ("{", 400, "malformed"), ("{\"node_name\":\"..\",\"timestamp\":\"2026-01-01T00:00:00Z\"}", 400, "name"),
        ("{\"node_name\":\"a\",\"timestamp\":\"2001-01-01T00:00:00Z\"}", 422, "expired"),
        (String(repeating: " ", count: 1 << 20), 400, "malformed"),
        // The server rejects it before the endpoint is called.
        (String(repeating: " ", count: 1 << 20 + 1), 413, nil),
    ])
    func rejectsInvalidReports(_ body: String, _ status: Int, _ reason: String?) async throws {
        try await withHub { client, _ in
            let answer = try await send(client, "/metrics/node", body)
            #expect(answer.status == status)
            #expect(answer.text.contains("\"error\":"))
            guard let reason else { return }
            let exposition = try await send(client, "/metrics").text
            #expect(exposition.contains("winpower_hub_reports_refused_total{reason=\"\(reason)\"} 1\n"))
        }
    }

    @Test func countsReportsThatAreTooLarge() async throws {
        let (_, intake) = try await fleet(TestClock())
        let endpoint = ReportEndpoint(kind: .node, intake: intake)
        var request = HTTPRequest(method: .post, target: "/metrics/node")
        request.headers["Content-Type"] = "application/json"
        request.body = [UInt8](repeating: 0x20, count: ReportEndpoint.maxBytes + 1)
        let report = request
        await #expect(throws: HTTPWireError.self) { _ = try await endpoint.respond(to: report, from: .anybody) }
        #expect(intake.statistics.rejectedReports == [.tooLarge: 1])
    }

    @Test func namesRejectedDevices() async throws {
        try await withHub { client, _ in
            func body(_ count: Int) -> String {
                let devices = (0..<count).map { "{\"id\":\"u\($0 + 2)\",\"read_at\":\"x\"}," }.joined()
                return ups("hq").replacing("\"devices\":[", with: "\"devices\":[\(devices)")
            }
            // The first hundred.
            let many = try await send(client, "/metrics/ups", body(101)).text
            #expect(many.contains("\"rejected\":101,") && many.contains("\"u101\"") && !many.contains("\"u102\""))
            let answer = try await send(client, "/metrics/ups", body(1))
            #expect(answer.status == 200)
            #expect(answer.text.contains(#""rejected":1,"rejections":[{"id":"u2","reason":"malformed"}]"#))
            let exposition = try await send(client, "/metrics").text
            #expect(exposition.contains("winpower_hub_devices_rejected_total{reason=\"malformed\"} 102\n"))
        }
    }

    private func fleet(_ clock: TestClock) async throws -> (Fleet, ReportIntake) {
        let history = try await History(MemoryHistoryStore(), timeSource: clock, logger: .silent)
        let fleet = Fleet(history, timeSource: clock)
        return (fleet, ReportIntake(fleet, timeSource: clock, logger: .silent))
    }

    private func exposition(_ registry: Registry) async -> String {
        String(decoding: TextFormat.encode(await registry.gather().families), as: UTF8.self)
    }

    @Test func publishesTheSkewOfASendersClock() async throws {
        let clock = TestClock()
        let (fleet, intake) = try await fleet(clock)
        let registry = Registry()
        try registry.register(HubMetrics.collector(fleet, intake))
        let time = RFC3339.string(clock.now.wall.addingTimeInterval(86_400))
        let body = Array("{\"node_name\":\"a\",\"timestamp\":\"\(time)\"}".utf8)
        _ = try intake.ingestNode(
            body,
            from: .anybody,
            stamp: ReportStamp(boot: "00000000000000ff", sequence: "1", age: "0")
        )
        let text = await exposition(registry)
        #expect(text.contains("winpower_hub_sender_clock_skew_seconds{sender=\"node/a\"} 86400\n"))
    }

    @Test func requiresItsToken() async throws {
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

    private func ups(_ site: String?) -> String {
        let now = RFC3339.string(Date())
        let siteMember = site.map { "\"site\":\"\($0)\"," } ?? ""
        return
            "{\(siteMember)\"timestamp\":\"\(now)\",\"devices\":[{\"id\":\"u1\",\"read_at\":\"\(now)\",\"load_watts\":7}]}"
    }

    @Test func restrictsASendersTokenToItsName() async throws {
        let tokens = try directory.write(
            """
            # who          what
            node a room 1  token-of-the-room-1
            site hq        token-of-the-hq-site

            site           token-of-no-site-at-all
            """,
            to: "tokens"
        )
        try await withHub(["hub.token": "of-everybody", "hub.tokens_file": tokens]) { client, _ in
            let cases: [(String, String, String, Int)] = [
                ("/metrics/node", node("a room 1"), "token-of-the-room-1", 200),
                ("/metrics/node", node("b"), "token-of-the-room-1", 403),
                ("/metrics/ups", ups("a room 1"), "token-of-the-room-1", 403),
                ("/metrics/ups", ups("hq"), "token-of-the-hq-site", 200),
                ("/metrics/ups", ups("other"), "token-of-the-hq-site", 403),
                ("/metrics/ups", ups(nil), "token-of-the-hq-site", 403),
                ("/metrics/node", node("hq"), "token-of-the-hq-site", 403),
                ("/metrics/ups", ups(nil), "token-of-no-site-at-all", 200),
                ("/metrics/node", node("b"), "of-everybody", 200),
                ("/metrics/node", node("a room 1"), "of-nobody", 401),
            ]
            for (target, body, token, status) in cases {
                let answer = try await send(client, target, body, token: token)
                #expect(answer.status == status, "\(target) \(token)")
            }
            // The token is for reporting; it does not allow reading other senders' data.
            let list = try await send(client, "/api/v2/clusters", token: "token-of-the-hq-site")
            #expect(list.status == 401)
            let exposition = try await send(client, "/metrics", token: "of-everybody").text
            #expect(exposition.contains(#"reason="forbidden"} 5"#))
        }
    }

    @Test func restrictsSendersWithoutATokenForEverybody() async throws {
        let tokens = try directory.write("node a token-of-node-a-1", to: "tokens")
        try await withHub(["hub.tokens_file": tokens]) { client, _ in
            let own = try await send(client, "/metrics/node", node("a"), token: "token-of-node-a-1")
            let other = try await send(client, "/metrics/node", node("b"), token: "token-of-node-a-1")
            let none = try await send(client, "/metrics/node", node("a"))
            #expect([own.status, other.status, none.status] == [200, 403, 401])
            #expect(try await send(client, "/metrics").status == 200)
        }
    }

    @Test func appliesNewSettingsWhileRunning() async throws {
        let tokens = try directory.write("node a token-of-node-a-1", to: "tokens")
        let changes = Changes()
        let settings = [
            "hub.tokens_file": tokens, "hub.token": "old", "server.enable_reload": "true",
        ]
        try await withHub(settings, changes: changes) { client, _ in
            #expect(try await send(client, "/metrics/node", node("a"), token: "token-of-node-a-1").status == 200)
            _ = try directory.write("node a token-of-node-a-2", to: "tokens")
            changes.set("hub.token", "new")
            changes.set("hub.subject_metrics", "10")
            changes.set("energy.tariff", "0.3")
            changes.set("energy.currency", "CNY")
            #expect(try await reload(client).status == 401)
            let answer = try await reload(client, token: "old")
            #expect(answer.status == 200)
            #expect(answer.text.contains("hub.token"))
            #expect(try await send(client, "/metrics/node", node("a"), token: "token-of-node-a-1").status == 401)
            #expect(try await send(client, "/metrics/node", node("a"), token: "token-of-node-a-2").status == 200)
            #expect(try await send(client, "/metrics", token: "old").status == 401)
            #expect(try await send(client, "/metrics", token: "new").text.contains("winpower_hub_hidden_subjects 0"))
            let list = try await send(client, "/api/v2/clusters/default/ups", token: "new")
            #expect(list.text.contains("\"tariff\":0.3,\"currency\":\"CNY\""))
            // Invalid settings change nothing.
            _ = try directory.write("node a short", to: "tokens")
            let rejected = try await reload(client, token: "new")
            #expect(rejected.status == 422)
            #expect(rejected.text.contains("line 1") && !rejected.text.contains("short\""))
            #expect(try await send(client, "/metrics/node", node("a"), token: "token-of-node-a-2").status == 200)
        }
    }

    @Test func publishesEnergyInJoulesEvenOfAnOfflineUPS() async throws {
        let clock = TestClock()
        let (fleet, intake) = try await fleet(clock)
        let registry = Registry()
        try registry.register(SubjectMetrics.collector(fleet) { 10 })
        let time = RFC3339.string(clock.now.wall)
        let body =
            "{\"site\":\"hq\",\"timestamp\":\"\(time)\","
            + "\"devices\":[{\"id\":\"u1\",\"read_at\":\"\(time)\",\"energy_watt_hours\":2.5,\"load_watts\":7}]}"
        _ = try intake.ingestUPSes(Array(body.utf8), from: .anybody, stamp: nil)
        for isOnline in [true, false] {
            let text = await exposition(registry)
            #expect(text.contains("{device_id=\"u1\",site=\"hq\"} 9000\n"))
            #expect(text.contains("winpower_device_load_total_watts{") == isOnline)
            #expect(text.contains("winpower_hub_hidden_subjects 0\n"))
            clock.advance(by: .seconds(86_400))
        }
    }

    @Test func exposesSubjectsAsMetricsUpToALimit() async throws {
        try await withHub(["hub.subject_metrics": "2"]) { client, _ in
            #expect(try await send(client, "/metrics/ups", ups("hq")).status == 200)
            let snapshot =
                node("a").dropLast()
                + #","cpu":{"usage_percent":12.5,"load_1":0.5},"disks":[{"device":"/dev/sda1","mount_point":"/","fs_type":"ext4","total":10,"available":4}]}"#
            #expect(try await send(client, "/metrics/node", String(snapshot)).status == 200)
            #expect(try await send(client, "/metrics/node", node("b")).status == 200)
            let text = try await send(client, "/metrics").text
            for line in [
                #"winpower_device_load_total_watts{device_id="u1",device_name="u1",device_type="unknown",site="hq"} 7"#,
                #"node_load1{node="a"} 0.5"#, #"winpower_hub_node_cpu_usage_percent{node="a"} 12.5"#,
                #"node_filesystem_avail_bytes{device="/dev/sda1",fstype="ext4",mountpoint="/",node="a"} 4"#,
                "winpower_hub_hidden_subjects 1",
            ] { #expect(text.contains(line + "\n"), "\(line)") }
        }
        try await withHub { client, _ in
            let taken = try await send(client, "/metrics/node", node("c"))
            #expect(taken.status == 200)
            let text = try await send(client, "/metrics").text
            #expect(!text.contains("node=\"c\""))
        }
    }

    /// The lines of a file, and the error; nil if there is none.
    @Test(
        arguments: [
            ("node a 16-characters-ok", nil),
            ("# Windows\r\nnode a 16-characters-ok\r\nsite b 16-characters-b-\r\n", nil),
            ("\n# comment\n\n  \r\nnode a 15-characters-x", "line 5: a token has"),
            ("node a 16-characters-ok\nsite b 16-characters-ok", "line 2: duplicate token"),
            ("site", "line 1: expected"),
            ("node 16-characters-ok", "line 1: expected"), ("# nothing", "it has no token"),
        ] as [(String, String?)]
    )
    func namesTheLineOfAnInvalidToken(_ text: String, _ reason: String?) throws {
        let path = try directory.write(text, to: "tokens")
        guard let reason else {
            let tokens = try SenderTokens(file: path)
            #expect(tokens.sender("16-characters-ok") == .node(ByteString("a")))
            #expect(tokens.sender("16-characters-no") == nil)
            return
        }
        let error = #expect(throws: SettingsFileError.self) { try SenderTokens(file: path) }
        #expect(error.map { "\($0)".contains(reason) } == true, "\(error as Any)")
    }

    @Test(arguments: [
        "node a", "site", "ups x token-of-twenty-letters", "node  token-of-twenty-letters", "", "node a short",
    ])
    func rejectsAnInvalidTokensFile(_ line: String) async throws {
        let tokens = try directory.write(line, to: "tokens")
        let error = await #expect(throws: SettingsFileError.self) {
            try await withHub(["hub.tokens_file": tokens]) { _, _ in }
        }
        #expect(error.map { !"\($0)".contains("twenty-letters") } == true)
    }
}
