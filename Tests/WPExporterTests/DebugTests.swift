// SPDX-License-Identifier: MIT

import Testing
import WPCore
@testable import WPExporter
import WPHTTP
import WPLogging
import WPModel
@testable import WPProgram
import WPSimulator
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("The debug page", .timeLimit(.minutes(5)))
struct DebugTests {
    private struct State: Decodable {
        struct Process: Decodable {
            struct Descriptors: Decodable {
                var open: Int
                var limit: Int?
                var kinds: [String: Int]
            }
            var thread_count: Int?
            var descriptors: Descriptors?
        }
        struct Server: Decodable {
            struct Loop: Decodable {
                var lag_seconds: Double
                var longest_turn_seconds: Double
            }
            var open_connections: Int
            var loop: Loop?
        }
        struct Setting: Decodable {
            var key: String
            var value: String
            var origin: String
        }
        var uptime_seconds: Double
        var process: Process
        var server: Server
        var parts: [String: [[String: String]]]
        var settings: [Setting]
    }

    private static let on = ["server.enable_pprof": "true"]

    private static func text(_ response: HTTPResponse) -> String { String(decoding: response.bytes, as: UTF8.self) }

    @Test func showsTheProcessAsJSON() async throws {
        let stack = try await Stack(settings: Self.on)
        await stack.exporter.history.record(1) { await stack.cycle() }
        for (target, accept) in [
            ("/debug/state.json", nil), ("/debug/?format=json", nil), ("/debug/", "application/json"),
        ] as [(String, String?)] {
            var headers = HTTPFields()
            headers["Accept"] = accept
            let reply = try await stack.get(target, headers: headers)
            #expect(reply.headers["Content-Type"] == "application/json")
            let state = try JSONDecoder().decode(State.self, from: Data(reply.bytes))
            #expect(state.uptime_seconds > 0)
            #expect(state.parts["cycles"]?.map { $0["cycle"] } == ["1"])
            #expect(state.parts["cycles"]?.map { $0["outcome"] } == ["success"])
            #expect(state.server.open_connections == 1)
            let loop = try #require(state.server.loop)
            #expect(loop.lag_seconds > 0 && loop.longest_turn_seconds > 0)
            #if os(Linux)
            let process = state.process
            #expect((process.thread_count ?? 0) > 1)
            let descriptors = try #require(process.descriptors)
            #expect(descriptors.open > 3 && descriptors.open <= descriptors.limit ?? .max)
            #expect((descriptors.kinds["socket"] ?? 0) > 1)
            #endif
        }
        try await stack.stop()
    }

    @Test func servesAnHTMLPage() async throws {
        let stack = try await Stack(settings: Self.on.merging(["winpower.username": "<b>\"&'"]) { $1 })
        await stack.exporter.history.record(1) { await stack.cycle() }
        let reply = try await stack.get("/debug/", headers: ["Accept": "text/html,application/json;q=0.9"])
        #expect(reply.headers["Content-Type"] == "text/html; charset=utf-8")
        #expect(reply.headers["Content-Security-Policy"]?.hasPrefix("default-src 'none'") == true)
        let text = Self.text(reply)
        #expect(text.contains("&lt;b&gt;&quot;&amp;&#39;"))
        #expect(!text.contains("<b>") && !text.contains("<script"))
        for title in ["Process", "Log level", "Server", "Last cycles", "Descriptors", "Settings"] {
            #expect(text.contains("<h2>\(title)"), "\(title)")
        }
        #expect(text.ranges(of: "<table>").count == text.ranges(of: "</table>").count)
        try await stack.stop()
    }

    @Test func hidesSecretsAndRequiresCredentials() async throws {
        let stack = try await Stack(
            settings: Self.on.merging(["winpower.password": "hunter2", "server.auth.bearer_token": "b34rer"]) { $1 }
        )
        #expect(try await stack.get("/debug").status == .unauthorized)
        let redirect = try await stack.get("/debug", headers: ["Authorization": "Bearer b34rer"])
        #expect(redirect.status.code == 308 && redirect.headers["Location"] == "debug/")
        for target in ["/debug/", "/debug/state.json", "/debug/log-level"] {
            #expect(try await stack.get(target).status == .unauthorized)
            let reply = try await stack.get(target, headers: ["Authorization": "Bearer b34rer"])
            #expect(reply.status == .ok)
            #expect(!Self.text(reply).contains("hunter2") && !Self.text(reply).contains("b34rer"))
        }
        let put = try await stack.get("/debug/log-level", method: .put, body: Array("debug".utf8))
        #expect(put.status == .unauthorized)
        let state = Self.text(
            try await stack.get("/debug/state.json", headers: ["Authorization": "Bearer b34rer"])
        )
        #expect(
            state.contains("\"key\":\"winpower.password\",\"origin\":\"--winpower.password\",\"value\":\"<REDACTED>\"")
        )
        try await stack.stop()
    }
}
