// SPDX-License-Identifier: MIT

import Testing
import WPCore
import WPHTTP
import WPLogging
import WPMetrics
@testable import WPProgram
import WPServer
import WPTestKit

@Suite("What a program declares", .timeLimit(.minutes(1)))
struct ProgramContextTests {
    private let clock = TestClock()
    private let log = CapturingLogHandler()

    private func context(host: HostProgram? = nil) throws -> ProgramContext<ProbeSettings> {
        let parts = ProgramParts(logger: log.logger, timeSource: clock, host: host)
        return ProgramContext(Probe.description, try Loaded.settings([:]), parts)
    }

    @Test func namesItsHostInRequests() throws {
        #expect(try context().userAgent("client") == "client/1.2.3")
        let host = HostProgram(name: "shop-Az_09", version: "0.9-a_b+c~d", revision: "abc")
        #expect(host.metricPrefix == "shop_Az_09")
        #expect(try context(host: host).userAgent("client") == "shop-Az_09/0.9-a_b+c~d client/1.2.3")
    }

    /// Run in their own processes, which they end.
    @Test func rejectsHostsWithUnusableNames() async {
        await #expect(processExitsWith: .failure) { _ = HostProgram(name: "", version: "1") }
        await #expect(processExitsWith: .failure) { _ = HostProgram(name: "a/b", version: "1") }
        await #expect(processExitsWith: .failure) { _ = HostProgram(name: "1a", version: "1") }
        await #expect(processExitsWith: .failure) { _ = HostProgram(name: "a", version: "1 2") }
    }

    @Test func registersTheMetricsOfEveryProgramOnce() async throws {
        var parts = ProgramParts(host: HostProgram(name: "shop", version: "7"))
        parts.lostLogRecords = { 3 }
        try FrameMetrics.register(Probe.description, parts)
        try FrameMetrics.register(ProgramDescription("other-one", summary: "", version: "8"), parts)
        #expect(await parts.registry.value(of: "probe_log_records_lost_total") == 3)
        for (family, version) in [("probe", "1.2.3"), ("other_one", "8"), ("shop", "7")] {
            let families = await parts.registry.gather().families.filter { $0.name == family + "_build_info" }
            #expect(families.flatMap(\.metrics).map { $0.labels["version"] } == [version])
        }
        let registry = Registry()
        try FrameMetrics.reserve(Probe.description, in: registry)
        for name in [
            "process_start_time_seconds", "probe_build_info", "probe_log_records_lost_total",
            "probe_config_last_reload_successful", "probe_requests_total", "probe_http_connections_open",
        ] {
            #expect(registry.declaredNames.contains(name), "\(name)")
        }
    }

    @Test func collectsDeclarations() throws {
        let context = try context()
        context.acceptsBodies(ofBytes: 10)
        context.acceptsBodies(ofBytes: 5)
        context.logFields(["a": 1])
        context.logFields(["b": 2])
        let answer = ClosureHTTPHandler { _ in .text("") }
        context.route(.get, "/a", answer)
        context.route(.put, "/a", answer)
        context.route(.get, "/b", name: "named", answer)
        context.route(prefix: "/c/", answer)
        context.debug("table") { DebugTable("Table", columns: [], rows: []) }
        context.health { nil }
        let declared = context.declared
        #expect(declared.minimumBodyBytes == 10)
        #expect(declared.logFields.all.map(\.key) == ["a", "b"])
        #expect(declared.requestRoutes == ["metrics", "health", "/a", "named", "/c/"])
        #expect(declared.debug.map(\.name) == ["table"] && declared.health.map(\.name) == ["probe"])
    }

    @Test func distinguishesTheRoutesOfTheFrame() {
        let routes: [(String, ProgramRoutes)] = [
            ("/metrics", .metrics), ("/health", .health), ("/", .landing), ("/-/reload", .reload), ("/debug", .debug),
            ("/debug/x", .debug), ("/debugger", .own), ("/metrics/x", .own),
        ]
        for (path, expected) in routes { #expect(ProgramRoutes(of: path) == expected, "\(path)") }
        #expect(
            [.metrics, .health, .landing, .debug, .reload, .own].map(\ProgramRoutes.rawValue) == [1, 2, 4, 8, 16, 32]
        )
        #expect(ProgramRoutes.all.rawValue == 63)
    }

    @Test func describesItself() {
        let plain = ProgramDescription("a-b", summary: "", version: "1")
        #expect(plain.title == "a-b" && plain.logName == "a-b" && plain.metricPrefix == "a_b" && plain.revision.isEmpty)
        #expect(ProgramDescription("a", title: "T", summary: "", version: "1").logName == "T")
        let own = ProgramDescription(own: "x", title: "T", logName: "L", summary: "", metrics: "node")
        #expect(own.logName == "L" && own.metricPrefix == "winpower_node" && own.version == Version.number)
    }

    // MARK: Running

    /// Its frame logs and closes as the settings say.
    private struct Worker: ExporterProgram {
        static let description = Probe.description
        let journal = Probe.Journal()

        init(_ context: ProgramContext<ProbeSettings>) throws {
            let journal = journal
            context.every(\.interval, "work") { settings in
                journal.add(settings.greeting)
                if settings.greeting == "fail" { throw Probe.Failure() }
            }
            context.beforeServing { journal.add("condition") }
            context.onListening { journal.add("listening") }
            for name in ["first", "second"] {
                context.atEnd {
                    journal.add("close \(name)")
                    throw Probe.Failure()
                }
            }
            context.wrapRouter { _, router in
                ClosureHTTPHandler { request in
                    var response = try await router.respond(to: request)
                    response.headers["X-Wrapped"] = "yes"
                    return response
                }
            }
        }
    }

    @Test func logsFailuresOfItsWorkOnceAndItsRecovery() async throws {
        var settings = ProbeSettings()
        settings.greeting = "fail"
        let parts = ProgramParts(logger: log.logger, timeSource: clock)
        let frame = try await ProgramFrame<Worker>(settings: settings, parts: parts)
        let running = Task { try await frame.run() }
        let journal = frame.program.journal
        func run(_ count: Int, of greeting: String) async throws {
            #expect(await eventually { journal.all.count { $0 == greeting } == count })
            try await clock.waitForSleepers(1)
        }
        try await run(1, of: "fail")
        clock.advance(by: .seconds(5))
        try await run(2, of: "fail")
        #expect(log.messages(.error) == ["Work failed"])
        settings.greeting = "fine"
        try await frame.reload(settings)
        clock.advance(by: .seconds(5))
        try await run(1, of: "fine")
        clock.advance(by: .seconds(5))
        try await run(2, of: "fine")
        #expect(log.messages(.info).filter { $0 == "Work succeeds again" }.count == 1)
        #expect(try await frame.handler.respond(to: HTTPRequest(target: "/")).headers["X-Wrapped"] == "yes")
        running.cancel()
        await #expect(throws: Probe.Failure.self) { try await running.value }
        #expect(journal.all.prefix { $0 != "listening" }.contains("condition"))
        #expect(journal.all.suffix(2) == ["close second", "close first"])
    }
}
