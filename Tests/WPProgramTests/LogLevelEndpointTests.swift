// SPDX-License-Identifier: MIT

import Testing
import WPCore
import WPHTTP
import WPLogging
@testable import WPProgram
import WPTestKit

@Suite("The log level endpoint")
struct LogLevelEndpointTests {
    private static func text(_ response: HTTPResponse) -> String { String(decoding: response.bytes, as: UTF8.self) }

    @Test(
        arguments: [
            ("debug", "{\"level\":\"debug\",\"modules\":{}}"), ("WARN\n", "{\"level\":\"warn\",\"modules\":{}}"),
            ("info, client = debug", "{\"level\":\"info\",\"modules\":{\"client\":\"debug\"}}"),
            ("client=debug,http=error", "{\"level\":\"info\",\"modules\":{\"client\":\"debug\",\"http\":\"error\"}}"),
            ("{\"level\":\"error\"}", "{\"level\":\"error\",\"modules\":{}}"),
            (" {\"modules\":{\"client\":\"warn\"}}", "{\"level\":\"info\",\"modules\":{\"client\":\"warn\"}}"),
        ]
    )
    func setsTheLogLevel(_ body: String, _ expected: String) async throws {
        let levels = LogThreshold(.info, modules: ["storage": .error])
        let endpoint = LogLevelEndpoint(
            levels: levels,
            modules: ["client", "http"],
            timeSource: SystemTimeSource(),
            logger: .silent
        )
        let put = try await endpoint.respond(
            to: HTTPRequest(method: .put, target: "/debug/log-level", body: Array(body.utf8))
        )
        #expect(put.status == .ok)
        #expect(Self.text(put) == expected + "\n")
        let get = try await endpoint.respond(to: HTTPRequest(target: "/debug/log-level"))
        #expect(Self.text(get) == expected + "\n")
    }

    @Test func limitsLogRecordsAboutLevelChanges() async throws {
        let (clock, log, levels) = (TestClock(), CapturingLogHandler(), LogThreshold(.info))
        let endpoint = LogLevelEndpoint(levels: levels, modules: [], timeSource: clock.timeSource, logger: log.logger)
        func set(_ level: String) async throws {
            let request = HTTPRequest(method: .put, target: "/debug/log-level", body: Array(level.utf8))
            #expect(try await endpoint.respond(to: request).status == .ok)
        }
        for _ in 0..<50 {
            try await set("debug")
            try await set("info")
        }
        #expect(log.messages().count == 1)
        #expect(levels.level == .info)
        clock.advance(by: .seconds(10))
        try await set("warn")
        #expect(log.messages().count == 2)
    }

    @Test(arguments: [
        "", " ", "loud", "client", "client=loud", "clint=debug", "{", "{}", "{\"level\":1}", "{\"level\":\"loud\"}",
        "{\"modules\":{\"x\":\"debug\"}}", "\u{0}", String(repeating: "x", count: 1025),
    ])
    func rejectsAnUnknownLevel(_ body: String) async throws {
        let levels = LogThreshold(.info, modules: ["storage": .error])
        let endpoint = LogLevelEndpoint(
            levels: levels,
            modules: ["client", "http"],
            timeSource: SystemTimeSource(),
            logger: .silent
        )
        let reply = try await endpoint.respond(
            to: HTTPRequest(method: .put, target: "/debug/log-level", body: Array(body.utf8))
        )
        #expect(reply.status == (body.utf8.count > 1024 ? .contentTooLarge : .badRequest))
        #expect(Self.text(reply).hasPrefix("{\"error\":\""))
        #expect(levels.level == .info && levels.moduleLevels == ["storage": .error])
    }
}
