// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPCore
import WPHTTP
import WPLogging
@testable import WPProgram
import WPServer
import WPSettings
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("The endpoints of every program")
struct ProgramEndpointTests {
    private let clock = TestClock()

    private func text(_ handler: any HTTPHandler, _ request: HTTPRequest) async throws -> (status: Int, text: String) {
        let response = try await handler.respond(to: request)
        return (response.status.code, String(decoding: response.bytes, as: UTF8.self))
    }

    // MARK: Health

    @Test func reportsTheHealthOfAllParts() {
        let started = clock.now
        clock.advance(by: .milliseconds(12_345))
        func report(_ parts: [HealthPart?]) -> HealthReport {
            let checks = parts.enumerated().map { index, part in (name: "part\(index)", check: { @Sendable in part }) }
            return HealthEndpoint(program: Probe.description, checks: checks, timeSource: clock, started: started)
                .report()
        }
        let good = report([.ok, nil, HealthPart(.ok, reason: "unused")])
        #expect(good.status == .ok && good.reason == nil && good.summary == nil)
        #expect(good.uptimeSeconds == 12.345)
        #expect(
            good.program == "probe" && good.version == "1.2.3" && good.parts.map(\.name) == ["part0", "part1", "part2"]
        )
        let bad = report([HealthPart(.ok, summary: "a"), .degraded("first"), .degraded("second"), .ok(1, summary: "b")])
        #expect(bad.status == .degraded && bad.reason == "first" && bad.summary == "a, b")
    }

    // MARK: Debug

    @Test func showsTheStateOfTheProcess() async throws {
        let levels = LogThreshold(.warn, modules: ["http": .debug, "client": .error])
        let (started, effective) = (clock.now, try Loaded.settings([:]).effective)
        clock.advance(by: .seconds(90))
        let probe = DebugProbe(
            program: Probe.description,
            parts: [
                ("zoo", { DebugTable("Zoo", columns: ["Animal", "Legs"], rows: [["<ant>", "6"]]) }),
                ("area", { DebugTable("Area", columns: [], rows: []) }),
            ],
            settings: { ("/etc/probe.yaml", effective) },
            server: nil,
            levels: levels,
            timeSource: clock,
            started: started
        )
        let sections = await probe.sections()
        #expect(
            sections.map(\.title)
                == ["Process", "Log level", "Server", "Area", "Zoo", "Descriptors", "Settings"]
        )
        func row(_ section: Int, _ label: String) -> String? {
            sections[section].rows.first { $0.first == label }?.last
        }
        #expect(row(0, "Version") == "1.2.3" && row(0, "Uptime") == "90.0 s")
        #expect(row(0, "Configuration file") == "/etc/probe.yaml")
        #expect(row(0, "Process") == String(ProcessInfo.processInfo.processIdentifier))
        #expect(row(0, "Time") == RFC3339.string(clock.now.wall))
        #expect(sections[1].rows == [["Default", "warn"], ["Module client", "error"], ["Module http", "debug"]])
        #expect(sections[2].rows.isEmpty)
        #expect(row(6, "probe.greeting") == "default" && sections[6].columns == ["Key", "Value", "Origin"])
        #if os(Linux)
        let kinds = sections[5].rows.dropFirst(2).map { $0[0] }
        #expect(kinds == kinds.sorted() && !kinds.isEmpty && kinds.allSatisfy { $0.hasPrefix("Kind ") })
        let counts = sections[5].rows.compactMap { Int($0[1]) }
        #expect(counts.count == sections[5].rows.count && counts.dropFirst(2).reduce(0, +) <= counts[0])
        #expect(sections[5].rows.prefix(2).map { $0[0] } == ["Open", "Limit"])
        #endif

        let endpoint = DebugEndpoint(probe: probe)
        let page = try await text(endpoint, HTTPRequest(target: "/debug/"))
        #expect(page.text.contains("<tr><th scope=\"row\">&lt;ant&gt;</th><td>6</td></tr>"))
        #expect(page.text.contains("<tr><th scope=\"col\">Animal</th><th scope=\"col\">Legs</th></tr>\n<tr>"))
        #expect(page.text.contains("<h2>Area</h2>\n<table>\n</table>"))
        let json = try await text(endpoint, HTTPRequest(target: "/debug/state.json"))
        for member in [
            #""zoo":[{"animal":"<ant>","legs":"6"}]"#, #""log_levels":{"level":"warn","modules":{"#,
            #""modules":{"client":"error","http":"debug"}"#, #""uptime_seconds":90"#,
            #""config_file":"/etc/probe.yaml""#,
            #"{"key":"probe.greeting","origin":"default","value":"hello"}"#,
        ] {
            #expect(json.text.contains(member), "\(member)")
        }
    }

    @Test(arguments: [
        ("/debug/state.json", "text/html", true), ("/debug/", "", false), ("/debug/?format=json", "", true),
        ("/debug/?a=b&format=json", "text/html", true), ("/debug/?format=jsonx", "", false),
        ("/debug/", "Application/JSON", true), ("/debug/", "text/html, application/json", false),
    ])
    func choosesTheFormOfTheDebugPage(_ target: String, _ accept: String, _ isJSON: Bool) {
        #expect(DebugEndpoint.wantsJSON(HTTPRequest(target: target, headers: ["Accept": accept])) == isJSON)
    }

    @Test func escapesMarkup() {
        #expect(DebugPage.escaped(#"<a href="x">'&'</a>"#) == "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;")
    }

    @Test func redirectsToTheDebugPage() async throws {
        var settings = ProbeSettings()
        settings.server.enablePprof = true
        let frame = try await ProgramFrame<Probe>(settings: settings)
        let reply = try await frame.handler.respond(to: HTTPRequest(target: "/debug"))
        #expect(reply.status.code == 308 && reply.headers["Location"] == "debug/")
        #expect(try await text(frame.handler, HTTPRequest(target: "/")).text.contains("<a href=\"debug/\">"))
        for method in [HTTPMethod.get, .put] {
            let levels = HTTPRequest(method: method, target: "/debug/log-level", body: Array("info".utf8))
            #expect(try await text(frame.handler, levels).text == "{\"level\":\"info\",\"modules\":{}}\n")
        }
    }

    // MARK: Reloading

    @Test func reloadsOnRequest() async throws {
        let count = Mutex(0)
        let endpoint = ReloadEndpoint {
            count.withLock { $0 += 1 }
            return .applied(changed: ["a"], waiting: ["b"], warnings: ["c"])
        }
        let refused = try await text(endpoint, HTTPRequest(method: .post, target: "/-/reload"))
        #expect(refused.status == 403 && refused.text.contains(#""status":"refused""#))
        #expect(count.withLock { $0 } == 0)
        let expected = #"{"changed":["a"],"need_restart":["b"],"status":"reloaded","warnings":["c"]}"# + "\n"
        let accepted: [(HTTPMethod, HTTPFields)] = [(.put, [:]), (.post, ["X-Requested-With": "x"])]
        for (method, headers) in accepted {
            let reply = try await text(endpoint, HTTPRequest(method: method, target: "/-/reload", headers: headers))
            #expect(reply.status == 200 && reply.text == expected)
        }
        let failing = ReloadEndpoint { .rejected(["it is wrong"]) }
        let reply = try await text(failing, HTTPRequest(method: .put, target: "/-/reload"))
        #expect(reply.status == 422 && reply.text == #"{"faults":["it is wrong"],"status":"refused"}"# + "\n")
    }

    @Test func namesWhereEachSettingComesFrom() throws {
        func location(_ origin: SettingOrigin) throws -> String {
            try JSONDocument.text(SettingsReport.Location(origin))
        }
        for (origin, expected) in [
            (SettingOrigin.standard, #"{"origin":"default","source":"default"}"#),
            (.file(path: "p", position: nil), #"{"origin":"p","path":"p","source":"file"}"#),
            (.credential(path: "p"), #"{"origin":"credential p","path":"p","source":"credential"}"#),
            (.environment("V"), #"{"origin":"V","source":"environment","variables":["V"]}"#),
            (.flag("--x"), #"{"flag":"--x","origin":"--x","source":"flag"}"#),
            (.program, #"{"origin":"the program","source":"program"}"#),
        ] {
            #expect(try location(origin) == expected + "\n")
        }
        let directory = try TemporaryDirectory()
        let path = try directory.write("probe:\n  interval: 7s\n  greeting: ${NAME}\n", to: "probe.yaml")
        let environment = ["NAME": String(repeating: "x", count: 41)]
        let loaded = try SettingsLoader(ProbeSettings.table, environment: environment).load(configPath: path)
        let json = try SettingsReport.json(of: loaded)
        for part in [
            #""column":13,"key":"probe.interval","line":2,"origin":"\#(path):2:13","path":"\#(path)","source":"file""#,
            #""line":3,"#, #""variables":["NAME"]"#, #""valid":true"#,
        ] {
            #expect(json.contains(part), "\(part)")
        }
        let lines = SettingsReport.text(of: loaded.adding({ _ in }, warnings: ["w"])).split(separator: "\n")
        #expect(lines.first == "The settings are valid. File: \(path)")
        #expect(lines.suffix(1) == ["warning: w"])
        let row = try #require(lines.first { $0.hasPrefix("probe.interval ") })
        let key = "server.max_requests_per_connection"
        #expect(row == "probe.interval" + String(repeating: " ", count: key.count - 14) + "  7s         \(path):2:13")
    }

    // MARK: Access

    @Test(arguments: [
        ("Basic dTpw", "p", 200), ("Basic dTpx", "p", 401), ("Basic eDpw", "p", 401), ("Bearer t", "p", 200),
        ("Bearer u", "p", 401), ("", "p", 401),
        // The user u with the password `pa:ss wörd`.
        ("Basic dTpwYTpzcyB3w7ZyZA==", "$5$saltstring$G6XlWxglxGeny2MMNjQlD.6YtHoX28goWYJZ9mnSSZ7", 200),
        ("Basic dTpwYTpzcyB3b3Jk", "$5$saltstring$G6XlWxglxGeny2MMNjQlD.6YtHoX28goWYJZ9mnSSZ7", 401),
    ])
    func admitsTheRightCredentials(_ authorization: String, _ password: String, _ status: Int) async throws {
        var settings = ServerAuthSettings()
        settings.username = "u"
        settings.bearerToken = Secret("t")
        if password.hasPrefix("$") {
            settings.passwordHash = Secret(password)
        } else {
            settings.password = Secret(password)
        }
        func access(_ settings: ServerAuthSettings) throws -> HTTPAccessControl? {
            try AccessControl.make(
                settings,
                realm: "Probe",
                passwords: PasswordChecker(),
                timeSource: clock,
                logger: .silent
            )
        }
        var request = HTTPRequest(target: "/")
        if !authorization.isEmpty { request.headers["Authorization"] = authorization }
        let guarded = try #require(try access(settings)).guarding(ClosureHTTPHandler { _ in .text("in") })
        #expect(try await guarded.respond(to: request).status.code == status)
        #expect(try access(ServerAuthSettings()).map { _ in true } == nil)
        (settings.password, settings.passwordHash) = (nil, nil)
        #expect(throws: AccessControl.Incomplete.self) { _ = try access(settings) }
    }
}
