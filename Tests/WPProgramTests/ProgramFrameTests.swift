// SPDX-License-Identifier: MIT

import Testing
import WPCore
import WPHTTP
import WPLogging
import WPMetrics
@testable import WPProgram
import WPServer
import WPSettings
import WPTestKit

/// A program in its frame, without a server.
@Suite(.timeLimit(.minutes(2))) struct ProgramFrameTests {
    private func frame(_ change: (inout ProbeSettings) -> Void = { _ in }) async throws -> ProgramFrame<Probe> {
        var settings = ProbeSettings()
        change(&settings)
        return try await ProgramFrame<Probe>(settings: settings)
    }

    private func get(
        _ handler: any HTTPHandler,
        _ target: String,
        method: HTTPMethod = .get,
        bearer: String? = nil
    ) async throws -> (status: Int, text: String) {
        var request = HTTPRequest(method: method, target: target)
        if let bearer { request.headers["Authorization"] = "Bearer \(bearer)" }
        let response = try await handler.respond(to: request)
        return (response.status.code, String(decoding: response.bytes, as: UTF8.self))
    }

    @Test func servesRoutesOfTheFrameAndItsOwn() async throws {
        let frame = try await frame()
        for (target, text) in [
            ("/greeting", "fixed"), ("/setting", "hello"), ("/api/a%2Fb", "/api/a%2Fb"), ("/open", "open"),
        ] {
            let answer = try await get(frame.handler, target)
            #expect(answer.status == 200 && answer.text == text, "\(target)")
        }
        #expect(try await get(frame.handler, "/").text.contains("<h1>Probe</h1>"))
        for target in ["/debug/", "/-/reload", "/nothing"] {
            #expect(try await get(frame.handler, target).status == 404, "\(target)")
        }
        let metrics = try await get(frame.handler, "/metrics").text
        for name in [
            "probe_runs_total 0", "probe_build_info{", "probe_config_last_reload_successful 1",
            "process_cpu_seconds_total",
            "probe_requests_total{code=\"200\",handler=\"api\"} 0",
        ] {
            #expect(metrics.contains("\n\(name)"), "\(name)")
        }
    }

    @Test func healthHasCommonMembersAndOnePerComponent() async throws {
        let text = try await get(try await frame().handler, "/health").text
        for member in [
            #""program":"probe""#, #""reason":null"#, #""status":"ok""#, #""summary":"1 sensor""#,
            #""version":"1.2.3""#,
            #""sensor":{"celsius":21,"reason":null,"status":"ok"}"#, #""probe":{"reason":null,"status":"ok"}"#,
        ] {
            #expect(text.contains(member), "\(member) in \(text)")
        }
    }

    @Test func requiresCredentialsExceptForHealthAndOpenRoutes() async throws {
        let frame = try await frame {
            $0.server.auth.bearerToken = Secret("token")
            $0.server.enablePprof = true
            $0.server.enableReload = true
        }
        for target in ["/", "/metrics", "/greeting", "/api/x", "/debug/", "/debug/state.json", "/nothing"] {
            #expect(try await get(frame.handler, target).status == 401, "\(target)")
        }
        #expect(try await get(frame.handler, "/-/reload", method: .put).status == 401)
        #expect(try await get(frame.handler, "/greeting", bearer: "token").status == 200)
        #expect(try await get(frame.handler, "/debug/state.json", bearer: "token").text.contains("probe.greeting"))
        for target in ["/health", "/open"] { #expect(try await get(frame.handler, target).status == 200) }
    }

    @Test func reloadsAtomically() async throws {
        let frame = try await frame()
        var settings = ProbeSettings()
        settings.greeting = "bye"
        settings.server.port = 9
        settings.server.auth.bearerToken = Secret("token")
        let result = try await frame.reload(settings)
        #expect(result.changed == ["server.auth.bearer_token", "probe.greeting"])
        #expect(result.waiting == ["server.port"])
        #expect(try await get(frame.handler, "/setting").status == 401)
        #expect(try await get(frame.handler, "/setting", bearer: "token").text == "bye")
        settings.greeting = "refuse"
        settings.server.auth.bearerToken = nil
        await #expect(throws: ReloadRejected.self) { try await frame.reload(settings) }
        settings.interval = .zero
        await #expect(throws: ReloadRejected.self) { try await frame.reload(settings) }
        #expect(try await get(frame.handler, "/setting", bearer: "token").text == "bye")
        #expect(try await get(frame.handler, "/setting").status == 401)
        #expect(frame.program.journal.all == ["commit bye"])
        #expect(
            try await get(frame.handler, "/metrics", bearer: "token").text.contains(
                "\nprobe_config_last_reload_successful 0\n"
            )
        )
    }

    @Test func rejectsAReloadWithoutAFile() async throws {
        let frame = try await frame { $0.server.enableReload = true }
        #expect(try await get(frame.handler, "/-/reload", method: .put).status == 422)
    }

    @Test func runsComponentsUntilCancelledAndClosesInReverseOrder() async throws {
        let frame = try await frame()
        let running = Task { try await frame.run() }
        let journal = frame.program.journal
        #expect(await eventually { Set(journal.all) == ["run hello", "worker"] })
        running.cancel()
        try await running.value
        #expect(journal.all.suffix(3) == ["worker ended", "saved", "closed"])
    }

    @Test func isDegradedByFailingWork() async throws {
        let frame = try await frame { $0.greeting = "fail" }
        let running = Task { try await frame.run() }
        #expect(
            try await eventually {
                try await get(frame.handler, "/health").text.contains(#""status":"degraded""#)
            }
        )
        let text = try await get(frame.handler, "/health").text
        #expect(text.contains(#""probe":{"error":"it does not work","reason":"probe","status":"degraded"}"#))
        running.cancel()
        try await running.value
    }

    @Test func mountsBelowAPrefix() async throws {
        let frame = try await frame()
        var router = HTTPRouter()
        router.on(.get, "/metrics") { _ in .text("the host's") }
        #expect(throws: HTTPRouter.RouteExists.self) { try frame.mount(on: &router) }
        try frame.mount(on: &router, under: "/probe")
        #expect(try await get(router, "/metrics").text == "the host's")
        #expect(try await get(router, "/probe/metrics").text.contains("probe_runs_total"))
        #expect(try await get(router, "/probe/api/a%2Fb?x=1").text == "/api/a%2Fb")
        #expect(try await get(router, "/probe/").text.contains("<h1>Probe</h1>"))
        #expect(try await get(router, "/greeting").status == 404)
        var other = HTTPRouter()
        try frame.mount(on: &other)
        #expect(try await get(other, "/api/x").text == "/api/x")
        #expect(try await get(other, "/").status == 404)
    }

    @Test(arguments: ["", "/probe"]) func mountsAChoiceOfTheCurrentRoutes(_ prefix: String) async throws {
        let frame = try await frame()
        var settings = ProbeSettings()
        settings.server.enableReload = true
        try await frame.reload(settings)
        var (own, reloads) = (HTTPRouter(), HTTPRouter())
        try frame.mount(on: &own, under: prefix, routes: .own)
        try frame.mount(on: &reloads, under: prefix, routes: .reload)
        #expect(try await get(own, prefix + "/api/a%2Fb").text == "/api/a%2Fb")
        #expect(try await get(own, prefix + "/setting").text == "hello")
        for path in ["/metrics", "/-/reload", "/%6Detrics", "/x/../metrics"] {
            #expect(try await get(own, prefix + path).status == 404, "\(path)")
        }
        #expect(try await get(reloads, prefix + "/-/reload", method: .put).status == 422)
        settings.greeting = "changed"
        try await frame.reload(settings)
        #expect(try await get(own, prefix + "/setting").text == "changed")
    }

    @Test func sharesARegistryWithProcessMetrics() async throws {
        let registry = Registry()
        try registry.register(ProcessCollector())
        let frame = try await ProgramFrame<Probe>(
            settings: ProbeSettings(),
            parts: ProgramParts(registry: registry)
        )
        #expect(frame.registry === registry)
        #expect(try await get(frame.handler, "/metrics").text.contains("probe_build_info"))
    }

    @Test func servesAccordingToItsSettings() async throws {
        let frame = try await ProgramFrame<Probe>(settings: ProbeSettings(), listens: true)
        let port = try #require(frame.server?.port)
        let running = Task { try await frame.run() }
        let client = try HTTPClient(.init(origin: try HTTPOrigin(parsing: "http://127.0.0.1:\(port)")))
        #expect(try await client.send(HTTPRequest(target: "/greeting"), timeout: .seconds(60)).status == .ok)
        client.close()
        running.cancel()
        try await running.value
        #expect(await frame.registry.value(of: "probe_requests_total", ["handler": "/greeting", "code": "200"]) == 1)
    }

    @Test func acceptsLevelsOfTheFramesAndItsOwnLogModules() throws {
        func load(_ levels: String) throws -> ProbeSettings {
            try SettingsLoader(ProbeSettings.table, environment: ["PROBE_LOGGING_LEVELS": levels]).load().settings
        }
        #expect(try load("sensor=debug,http=warn").logging.moduleLevels == ["sensor": .debug, "http": .warn])
        for (levels, hint) in [("senser=debug", "did you mean sensor?"), ("energy=debug", "http, scheduler, sensor")] {
            let faults = #expect(throws: SettingsFaults.self) { try load(levels) }
            #expect(faults.map { "\($0)" }?.contains(hint) == true)
        }
    }

    @Test func rejectsInvalidSettings() async {
        await #expect(throws: SettingsFaults.self) { try await frame { $0.server.port = -1 } }
        await #expect(throws: SettingsFaults.self) { try await frame { $0.server.auth.username = "x" } }
    }
}
