// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPGzip
import WPHTTP
import WPMetrics
import WPPushgateway
import WPTestKit

/// What a push sends.
struct PushTests {
    private let gateway = FakeGateway()
    private let registry = Registry()

    private func pushgateway(
        credentials: PushCredentials? = nil,
        timeout: Duration = .seconds(10),
        compresses: Bool = false
    ) throws -> Pushgateway {
        Pushgateway(
            transport: gateway,
            group: try PushGroup(job: "backup", labels: ["instance": "db1"]),
            credentials: credentials,
            timeout: timeout,
            compresses: compresses
        )
    }

    private static let exposition = "# HELP saved_bytes Saved.\n# TYPE saved_bytes gauge\nsaved_bytes 12.5\n"

    @Test func pushReplacesAndAddMerges() async throws {
        try registry.gauge(name: "saved_bytes", help: "Saved.").set(12.5)
        try await pushgateway().push(registry)
        try await pushgateway().add(registry)
        #expect(gateway.requests.map(\.method) == [.put, .post])
        for request in gateway.requests {
            #expect(request.target == "/metrics/job/backup/instance/db1")
            #expect(request.headers["Content-Type"] == "text/plain; version=0.0.4; charset=utf-8")
            #expect(request.headers["Content-Encoding"] == nil)
            #expect(request.headers["Authorization"] == nil)
            #expect(String(decoding: request.body, as: UTF8.self) == Self.exposition)
        }
        #expect(gateway.timeouts == [.seconds(10), .seconds(10)])
    }

    @Test func pushesOneValueInOneCall() async throws {
        try await pushgateway().push(12.5, name: "saved_bytes", help: "Saved.")
        try await pushgateway().push(0.5, name: "saved_ratio", help: "Share.", labels: ["disk": "a"])
        #expect(gateway.requests.map(\.method) == [.put, .put])
        #expect(String(decoding: gateway.requests[0].body, as: UTF8.self) == Self.exposition)
        #expect(String(decoding: gateway.requests[1].body, as: UTF8.self).hasSuffix("\nsaved_ratio{disk=\"a\"} 0.5\n"))
        await #expect(throws: MetricError.self) { try await pushgateway().push(1, name: "not-a-name", help: "") }
        await #expect(throws: MetricError.self) {
            try await pushgateway().push(1, name: "x", help: "", labels: ["a": "1", "a": "2"])
        }
        let error = await #expect(throws: PushError.self) {
            try await pushgateway().push(1, name: "x", help: "", labels: ["job": "y"])
        }
        #expect(error?.code == .invalidMetrics)
        let group = try PushGroup(job: "backup")
        await #expect(throws: HTTPClientError.self) {
            try await Pushgateway.push(1, name: "x", help: "X.", to: "gateway:9091", group: group)
        }
        #expect(gateway.requests.count == 2)
    }

    @Test func hasATimeoutOfTenSecondsAndDoesNotCompressByDefault() async throws {
        let group = try PushGroup(job: "backup")
        try await Pushgateway(transport: gateway, group: group).push(registry)
        #expect(gateway.timeouts == [.seconds(10)])
        #expect(gateway.requests.first?.headers["Content-Encoding"] == nil)
    }

    @Test func pushesOneValueToAURL() async throws {
        let received = Mutex<[String]>([])
        let server = try ScriptedServer { peer in
            guard let request = peer.readRequest() else { return }
            received.withLock { $0.append(request) }
            peer.send("HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        }
        try await Pushgateway.push(
            12.5,
            name: "saved_bytes",
            help: "Saved.",
            labels: ["disk": "a"],
            to: "http://127.0.0.1:\(server.port)/base",
            group: PushGroup(job: "backup"),
            credentials: .bearer(token: "abc")
        )
        let requests = received.withLock { $0 }
        #expect(requests.count == 1)
        let request = try #require(requests.first)
        #expect(request.hasPrefix("PUT /base/metrics/job/backup HTTP/1.1\r\n"))
        #expect(request.lowercased().contains("\r\nauthorization: bearer abc\r\n"))
        #expect(!request.lowercased().contains("content-encoding"))
        #expect(request.hasSuffix("\nsaved_bytes{disk=\"a\"} 12.5\n"))
    }

    @Test func deleteHasNoBody() async throws {
        try await pushgateway().delete()
        let request = try #require(gateway.requests.first)
        #expect(request.method == .delete)
        #expect(request.target == "/metrics/job/backup/instance/db1")
        #expect(request.body.isEmpty)
        #expect(request.headers["Content-Type"] == nil)
    }

    @Test func compressedPushesAreGzip() async throws {
        try registry.gauge(name: "saved_bytes", help: "Saved.").set(12.5)
        try await pushgateway(timeout: .seconds(3), compresses: true).push(registry)
        let request = try #require(gateway.requests.first)
        #expect(request.headers["Content-Encoding"] == "gzip")
        #expect(try Gzip.decompress(request.body, limit: 1000) == Array(Self.exposition.utf8))
        #expect(gateway.timeouts == [.seconds(3)])
    }

    @Test(
        arguments: [
            ("Aladdin", "open sesame", "QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),  // RFC 7617, section 2
            ("test", "123\u{A3}", "dGVzdDoxMjPCow=="),  // RFC 7617, section 2.1
            ("", "", "Og=="),
        ]
    )
    func sendsBasicCredentials(_ username: String, _ password: String, _ encoded: String) async throws {
        try await pushgateway(credentials: .basic(username: username, password: password)).delete()
        #expect(gateway.requests.first?.headers["Authorization"] == "Basic \(encoded)")
    }

    @Test func sendsABearerToken() async throws {
        try await pushgateway(credentials: .bearer(token: "abc")).delete()
        #expect(gateway.requests.first?.headers["Authorization"] == "Bearer abc")
    }

    @Test func credentialsAreNotPrinted() throws {
        let pushgateway = try pushgateway(credentials: .basic(username: "admin", password: "hunter2"))
        var dumped = ""
        dump(pushgateway, to: &dumped)
        for text in [dumped, "\(pushgateway)", String(reflecting: pushgateway)] {
            #expect(!text.contains("hunter2"))
            #expect(!text.contains("YWRtaW46aHVudGVyMg"))
        }
        #expect(dumped.contains("<REDACTED>"))
    }

    private struct Broken: ImmediateCollector {
        var descriptors: [MetricDescriptor] { [] }
        func collectNow() throws -> [MetricFamily] { throw CancellationError() }
    }

    /// A push would delete the metrics of the failed collector.
    @Test func aPartialGatherIsNotPushed() async throws {
        try registry.register(Broken())
        _ = try registry.gauge(name: "saved_bytes", help: "Saved.")
        let error = await #expect(throws: PushError.self) { try await pushgateway().push(registry) }
        #expect(error?.code == .invalidMetrics)
        #expect(gateway.requests.isEmpty)
    }

    private struct Given: ImmediateCollector {
        let families: [MetricFamily]
        var descriptors: [MetricDescriptor] { [] }
        func collectNow() -> [MetricFamily] { families }
    }

    /// The gateway would reject the first, and silently replace the labels of the others.
    @Test(arguments: ["timestamp", "instance", "job"])
    func doesNotPushMetricsThatAGatewayRejects(_ fault: String) async throws {
        let descriptor = try MetricDescriptor(name: "x", help: "X.", type: .gauge)
        let metric =
            fault == "timestamp"
            ? Metric(value: 1, timestamp: 2) : Metric(labels: try LabelSet([Label(fault, "y")]), value: 1)
        try registry.register(Given(families: [MetricFamily(descriptor, [metric])]))
        let error = await #expect(throws: PushError.self) { try await pushgateway().add(registry) }
        #expect(error?.code == .invalidMetrics)
        #expect(error?.description.contains("has \(fault == "timestamp" ? "a" : "the label") \(fault)") == true)
        #expect(gateway.requests.isEmpty)
    }

    @Test func rejectsInvalidURLs() throws {
        let group = try PushGroup(job: "x")
        #expect(throws: HTTPClientError.self) { try Pushgateway(url: "gateway:9091", group: group) }
        #expect(throws: Never.self) { try Pushgateway(url: "http://127.0.0.1:9091/prefix", group: group) }
    }
}
