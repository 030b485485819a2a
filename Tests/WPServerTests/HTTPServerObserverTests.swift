// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPHTTP
import WPLogging
import WPServer
import WPTestKit

@Suite("Observation of requests")
struct HTTPServerObserverTests {
    @Test func observesEachRequest() async throws {
        let seen = Mutex<[(String, Int, Duration)]>([])
        var router = HTTPRouter()
        router.on(.get, "/metrics", name: "metrics") { _ in .text("x") }
        router.on(.get, "/fail") { _ in throw ClientFailure("no") }
        router.on(.get, "/bad") { _ in HTTPResponse(headers: ["X": "\r\n"]) }
        let observer: HTTPServer.Observer = { exchange in
            seen.withLock { $0.append((exchange.route, exchange.status.code, exchange.duration)) }
        }
        try await withServer(testConfiguration(), router, observer: observer) { running in
            for target in ["/metrics?a", "/nothing/\(Int.random(in: 0...9))", "/fail", "/bad"] {
                _ = try await running.reply(to: .get(target))
            }
            _ = try await running.reply(to: "POST /metrics HTTP/1.1\r\nHost: t\r\n\r\n")
            _ = try await running.reply(to: "nonsense\r\n")
        }
        let exchanges = seen.withLock { $0 }
        #expect(exchanges.map(\.0) == ["metrics", "other", "/fail", "/bad", "metrics", "malformed"])
        #expect(exchanges.map(\.1) == [200, 404, 500, 500, 405, 400])
        #expect(exchanges.dropLast().allSatisfy { $0.2 > .zero })
    }

    @Test func acceptsATrailingClosureAsObserver() async throws {
        let seen = Mutex<[String]>([])
        let server = HTTPServer(testConfiguration(), handler: echo) { exchange in
            seen.withLock { $0.append(exchange.route) }
        }
        let running = try RunningServer.start(server)
        #expect(try await running.reply(to: .get("/path")).status == 200)
        try await running.stop()
        #expect(seen.withLock { $0 } == ["other"])
    }

    @Test func theProgramFormatsServerErrors() async throws {
        let handler = ClosureHTTPHandler { _ in throw ClientFailure("no") }
        let server = HTTPServer(
            testConfiguration(),
            handler: handler,
            problems: { .text("<\($0.code) \($0.message?.isEmpty == false)>", status: $0.status) }
        )
        let running = try RunningServer.start(server)
        #expect(try await running.reply(to: .get("/")).text == "<internal_error false>")
        #expect(try await running.reply(to: "nonsense\r\n").text == "<bad_request true>")
        try await running.stop()
    }

    @Test func logsEachRequestAtDebug() async throws {
        let log = CapturingLogHandler()
        try await withServer(testConfiguration(), echo, logger: log.logger) { running in
            _ = try await running.reply(to: .get("/x?password=hunter2", "User-Agent: probe/1"))
        }
        let record = try #require(log.records.first { $0.message == "Request answered" })
        #expect(record.level == .debug)
        #expect(record.fields["method"] == "GET")
        #expect(record.fields["path"] == "/x")
        #expect(record.fields["status"] == 200)
        #expect(record.fields["duration_ms"] != nil)
        #expect(record.fields["user_agent"] == "probe/1")
        #expect(record.fields["bytes"] == .int("GET /x?password=hunter2 ".utf8.count))
        guard case .string(let peer) = record.fields["peer"] else {
            Issue.record("no peer")
            return
        }
        #expect(peer.hasPrefix("127.0.0.1:") || peer == "gone")
        #expect(!log.mentions("hunter2"))
    }

    @Test func limitsLogLinesAboutMissingCredentials() async throws {
        let log = CapturingLogHandler()
        let locked = HTTPAccessControl { HTTPAccessControl.Credentials(bearer: { $0 == "token" }) }.guarding(echo)
        try await withServer(testConfiguration(), locked, logger: log.logger) { running in
            for _ in 0..<15 {
                let reply = try await running.reply(to: .get("/x?hunter2", "Authorization: Bearer hunter2"))
                #expect(reply.status == 401)
            }
            #expect(try await running.reply(to: .get("/", "Authorization: Bearer token")).status == 200)
        }
        let rejected = log.records.filter { $0.message == "A request was rejected" }
        #expect(rejected.count == 10)
        #expect(rejected.allSatisfy { $0.level == .info && $0.fields["status"] == 401 && $0.fields["path"] == "/x" })
        #expect(!log.mentions("hunter2"))
    }
}
