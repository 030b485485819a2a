// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPCollector
import WPCore
@testable import WPExporter
import WPHTTP
import WPLogging
import WPModel
import WPSimulator
import WPTestKit

@Suite("Connections to WinPower", .timeLimit(.minutes(5)))
struct UpstreamTests {
    @Test func rereadsThePasswordFileAtEachLogin() async throws {
        let secrets = try TemporaryDirectory()
        try secrets.write("first\n", to: "password")
        let stack = try await Stack(
            SimulatorConfiguration(password: Secret("first")),
            settings: ["winpower.password": "", "winpower.password_file": secrets.file("password")]
        )
        #expect(await stack.cycle() == .success)
        stack.simulator.set(password: Secret("second"))
        stack.simulator.expireTokens()
        #expect(await stack.cycle() == .failure(.auth))
        // The pause after a rejection does not apply to changed credentials.
        try secrets.write("second\n", to: "password")
        #expect(await stack.cycle() == .success)
        try await stack.stop()
    }

    @Test func usesANamedProxy() async throws {
        let seen = Mutex("")
        let proxy = try ScriptedServer { peer in
            let request = peer.readRequest() ?? ""
            seen.withLock { $0 = request }
            peer.send("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n")
        }
        let stack = try await Stack(settings: ["winpower.proxy": "http://user:hunter2@127.0.0.1:\(proxy.port)"])
        // A login that returns 403 is rejected.
        #expect(await stack.cycle() == .failure(.auth))
        let request = seen.withLock { $0 }
        #expect(request.hasPrefix("POST http://127.0.0.1:"))
        #expect(request.contains("\r\nProxy-Authorization: Basic dXNlcjpodW50ZXIy\r\n"))
        #expect(request.contains("\r\nUser-Agent: wpexporter/"))
        #expect(stack.simulator.counters.requests == 0)
        #expect(stack.log.mentions("WinPower is read through a proxy"))
        #expect(!stack.log.mentions("hunter2"))
        try await stack.stop()
    }

    @Test(arguments: [true, false]) func exposesDisabledVerification(_ isSkipped: Bool) async throws {
        let stack = try await Stack(settings: ["winpower.skip_ssl_verify": "\(isSkipped)"])
        let families = try await stack.scrape()
        #expect(families.value("winpower_exporter_tls_verification_disabled") == (isSkipped ? 1 : 0))
        try await stack.stop()
    }
}
