// SPDX-License-Identifier: MIT

import Testing
import WPConfig
import WPCore
@testable import WPExporter
import WPGzip
import WPHTTP
import WPLogging
import WPMetrics
import WPModel
@testable import WPProgram
import WPSettings
import WPSimulator
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Endpoints of the exporter", .timeLimit(.minutes(5)))
struct EndpointTests {
    @Test func negotiatesTheFormatOfMetrics() async throws {
        let stack = try await Stack()
        let plain = try await stack.get("/metrics")
        #expect(plain.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
        let prometheus = try await stack.get(
            "/metrics",
            headers: [
                "Accept":
                    "application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,text/plain;version=0.0.4;q=0.3"
            ]
        )
        #expect(prometheus.headers["Content-Type"]?.hasPrefix("application/openmetrics-text; version=1.0.0") == true)
        #expect(String(decoding: prometheus.bytes.suffix(6), as: UTF8.self) == "# EOF\n")
        let packed = try await stack.get("/metrics", headers: ["Accept-Encoding": "gzip"])
        #expect(packed.headers["Content-Encoding"] == "gzip")
        let text = String(decoding: try Gzip.decompress(packed.bytes, limit: 1 << 24), as: UTF8.self)
        #expect(text.contains("winpower_exporter_up 1\n"))
        try await stack.stop()
    }

    private struct Health: Decodable {
        struct Collector: Decodable {
            var devices: Int
            var last_success: String?
        }
        var status: String
        var version: String
        var program: String
        var collector: Collector
    }

    @Test func healthNeverContactsTheUpstream() async throws {
        let stack = try await Stack()
        var report = try JSONDecoder().decode(Health.self, from: Data(try await stack.get("/health").bytes))
        #expect(report.status == "ok" && report.program == "server")
        #expect(report.collector.last_success == nil)
        #expect(report.version == Version.number)
        #expect(stack.simulator.counters.requests == 0)
        await stack.cycle()
        report = try JSONDecoder().decode(Health.self, from: Data(try await stack.get("/health").bytes))
        #expect(report.collector.devices == 3)
        #expect(report.collector.last_success != nil)
        try await stack.stop()
    }

    @Test func rejectsEverythingElse() async throws {
        let stack = try await Stack()
        #expect(String(decoding: try await stack.get("/").bytes, as: UTF8.self).contains("href=\"metrics\""))
        let missing = try await stack.get("/nothing?x=1")
        #expect(missing.status == .notFound)
        #expect(
            String(decoding: missing.bytes, as: UTF8.self).hasPrefix("{\"error\":\"not_found\",\"path\":\"/nothing\"")
        )
        #expect(missing.headers["Content-Type"] == "application/json")
        let long = try await stack.get("/" + String(repeating: "x", count: 1000))
        #expect(String(decoding: long.bytes, as: UTF8.self).contains("x…\",\"ts\":\"") && long.bytes.count < 700)
        let wrong = try await stack.get("/metrics", method: .delete)
        #expect(wrong.status == .methodNotAllowed)
        #expect(wrong.headers["Allow"] == "GET, HEAD")
        let head = try await stack.get("/metrics", method: .head)
        #expect(head.status == .ok)
        #expect(head.bytes.isEmpty)
        #expect(try await stack.get("/debug/").status == .notFound)
        let families = try await stack.scrape()
        #expect(families.value("winpower_exporter_requests_total", ["handler": "other", "code": "404"]) == 3)
        try await stack.stop()
    }

    @Test func requiresCredentialsExceptForHealth() async throws {
        let stack = try await Stack(settings: [
            "server.auth.username": "scraper", "server.auth.password": "pass:word", "server.auth.bearer_token": "t0ken",
            "server.enable_pprof": "true",
        ])
        #expect(try await stack.get("/health").status == .ok)
        for target in ["/metrics", "/", "/debug/", "/nothing"] {
            #expect(try await stack.get(target).status == .unauthorized, "\(target)")
        }
        let basic = Data("scraper:pass:word".utf8).base64EncodedString()
        #expect(try await stack.get("/metrics", headers: ["Authorization": "Basic \(basic)"]).status == .ok)
        #expect(try await stack.get("/metrics", headers: ["Authorization": "Bearer t0ken"]).status == .ok)
        #expect(try await stack.get("/metrics", headers: ["Authorization": "Bearer token"]).status == .unauthorized)
        try await stack.stop()
    }

    #if os(Linux)
    @Test func acceptsAHashedPassword() async throws {
        // The hash of "pa:ss wörd".
        let hash = "$2b$04$abcdefghijklmnopqrstuuC5VMwYwbzdFgvTXUffgXF6mHCmfegLa"
        let stack = try await Stack(settings: ["server.auth.username": "scraper", "server.auth.password_hash": hash])
        for (credentials, status) in [
            ("scraper:pa:ss wörd", HTTPStatus.ok), ("scraper:pa:ss", .unauthorized),
            ("other:pa:ss wörd", .unauthorized),
            ("scraper:\(hash)", .unauthorized), ("scraper:pa:ss wörd", .ok),
        ] {
            let basic = Data(credentials.utf8).base64EncodedString()
            #expect(try await stack.get("/metrics", headers: ["Authorization": "Basic \(basic)"]).status == status)
        }
        #expect(try await stack.get("/health").status == .ok)
        try await stack.stop()
    }
    #endif
}
