// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPCollector
import WPConfig
import WPCore
@testable import WPExporter
import WPHTTP
import WPLogging
import WPMetrics
import WPModel
@testable import WPProgram
import WPServer
import WPService
import WPSettings
import WPSimulator
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Reloads of the running exporter", .timeLimit(.minutes(5)))
struct ReloadTests {
    private static let successful = "winpower_exporter_config_last_reload_successful"
    private static let time = "winpower_exporter_config_last_reload_success_timestamp_seconds"

    /// The stack sets the password by a flag.
    private static let warnings = [
        "--winpower.password shows the secret to every account on this machine that can list processes; "
            + "use --winpower.password-file or WINPOWER_EXPORTER_WINPOWER_PASSWORD"
    ]

    @Test func switchesTheWinPowerServerBetweenCycles() async throws {
        let stack = try await Stack(SimulatorConfiguration(deviceCount: 2, seed: 1))
        let simulator = WinPowerSimulator(
            configuration: SimulatorConfiguration(deviceCount: 3, seed: 2, username: "other", password: Secret("n3w"))
        )
        let other = SimulatorServer(simulator: simulator)
        try other.bind()
        let run = Task { try await other.run() }
        await stack.cycle()
        #expect(try await stack.scrape().metrics("winpower_device_connected").count == 2)

        stack.change([
            "winpower.base_url": try #require(other.url), "winpower.username": "other", "winpower.password": "n3w",
        ])
        let outcome = await stack.reload()
        #expect(
            outcome
                == .applied(
                    changed: ["winpower.base_url", "winpower.username", "winpower.password"],
                    waiting: [],
                    warnings: Self.warnings
                )
        )
        #expect(try await stack.scrape().value("winpower_token_expiry_seconds") == 0)
        #expect(await stack.cycle() == .success)
        let families = try await stack.scrape()
        let ids = families.metrics("winpower_device_connected").compactMap { $0.labels["device_id"] }
        #expect(Set(ids) == Set(simulator.deviceIDs.map(\.rawValue)))
        #expect(simulator.counters.logins == 1)
        #expect(!stack.log.mentions("n3w"))
        run.cancel()
        try await run.value
        try await stack.stop()
    }

    @Test func rejectsInvalidSettingsCompletely() async throws {
        let stack = try await Stack()
        let before = try #require(try await stack.scrape().value(Self.time))
        stack.change([
            "scheduler.collection_interval": "2m", "energy.max_gap": "3m", "server.port": "x",
            "winpower.password": "hunter2",
            "metrics.stale_after": "1h",
        ])
        guard case .rejected(let faults) = await stack.reload() else {
            Issue.record("invalid settings were accepted")
            return
        }
        #expect(faults.count == 2)
        #expect(faults.contains { $0.contains("server.port") } && faults.contains { $0.contains("energy.max_gap") })
        var families = try await stack.scrape()
        #expect(families.value(Self.successful) == 0)
        #expect(families.value(Self.time) == before)
        let errors = stack.log.records.filter { $0.level == .error }
        #expect(errors.map(\.message) == ["Settings rejected; the previous ones stay in effect"])
        #expect(errors.first?.fields["faults"] == 2)
        #expect(!stack.log.mentions("hunter2"))
        // The old password is still in use.
        #expect(await stack.cycle() == .success)
        let running = await stack.exporter.reloader.running.settings
        #expect(running.metrics.staleAfter == .seconds(15))

        stack.change(["scheduler.collection_interval": "10s", "server.port": "0", "winpower.password": "admin"])
        #expect(await stack.reload() != .rejected([]))
        families = try await stack.scrape()
        #expect(families.value(Self.successful) == 1)
        #expect(try #require(families.value(Self.time)) >= before)
        try await stack.stop()
    }

    @Test func keepsAndReportsSettingsThatNeedARestart() async throws {
        let stack = try await Stack()
        let old = stack.dataDirectory
        stack.change(["storage.data_dir": old + "-new", "server.host": "127.0.0.2", "energy.max_gap": "2m"])
        let outcome = await stack.reload()
        #expect(
            outcome
                == .applied(
                    changed: ["energy.max_gap"],
                    waiting: ["server.host", "storage.data_dir"],
                    warnings: Self.warnings
                )
        )
        let warnings = stack.log.records.filter { $0.message == "A changed setting needs a restart" }
        #expect(warnings.map { $0.fields["setting"] } == ["server.host", "storage.data_dir"])
        let running = await stack.exporter.reloader.running
        #expect(running.settings.storage.dataDir == old)
        #expect(running.settings.energy.maxGap == .seconds(120))
        #expect(running.effective.first { $0.key == "storage.data_dir" }?.value == old)
        // The next reload does not change it.
        #expect(
            await stack.reload()
                == .applied(changed: [], waiting: ["server.host", "storage.data_dir"], warnings: Self.warnings)
        )
        try await stack.stop()
    }

    @Test func keepsConnectionsAcrossReloads() async throws {
        let stack = try await Stack(settings: ["server.auth.bearer_token": "one"])
        #expect(try await stack.get("/", headers: ["Authorization": "Bearer one"]).status == .ok)
        stack.change(["server.auth.bearer_token": "two", "server.idle_timeout": "2m", "server.enable_pprof": "true"])
        await stack.reload()
        #expect(try await stack.get("/", headers: ["Authorization": "Bearer one"]).status == .unauthorized)
        #expect(try await stack.get("/debug/", headers: ["Authorization": "Bearer two"]).status == .ok)
        #expect(stack.exporter.server?.statistics.acceptedConnections == 1)
        #expect(!stack.log.mentions("two"))
        try await stack.stop()
    }

    @Test func enablesTLSForNewConnections() async throws {
        let stack = try await Stack()
        let directory = try TemporaryDirectory()
        let (certificate, key) = (directory.file("tls.crt"), directory.file("tls.key"))
        try CertificateAndKey.selfSigned(for: CertificateSubject()).write(certificateFile: certificate, keyFile: key)
        #expect(try await stack.get("/health").status == .ok)
        stack.change(["server.tls.cert_file": certificate, "server.tls.key_file": directory.file("none")])
        guard case .rejected = await stack.reload() else {
            Issue.record("a missing key was accepted")
            return
        }
        stack.change(["server.tls.key_file": key])
        await stack.reload()
        // The existing connection remains open.
        #expect(try await stack.get("/health").status == .ok)
        let port = try #require(stack.exporter.server?.port)
        let client = try HTTPClient(
            HTTPClient.Configuration(
                origin: try HTTPOrigin(parsing: "https://127.0.0.1:\(port)"),
                verification: .authorities(path: certificate)
            )
        )
        #expect(try await client.send(HTTPRequest(target: "/health"), timeout: .seconds(60)).status == .ok)
        client.close()
        try await stack.stop()
    }

    @Test func reloadsOnlyOnAuthorizedRequests() async throws {
        let stack = try await Stack()
        #expect(try await stack.get("/-/reload", method: .put).status == .notFound)
        stack.change(["server.enable_reload": "true"])
        await stack.reload()
        #expect(try await stack.get("/-/reload").status == .methodNotAllowed)
        for method in [HTTPMethod.put, .post] {
            stack.change(["energy.max_gap": method == .put ? "2m" : "3m"])
            let reply = try await stack.get("/-/reload", method: method, headers: ["X-Requested-With": "test"])
            #expect(reply.status == .ok)
            #expect(
                String(decoding: reply.bytes, as: UTF8.self).hasPrefix(
                    "{\"changed\":[\"energy.max_gap\"],\"need_restart\":[],\"status\":\"reloaded\",\"warnings\":[\"--"
                )
            )
        }
        // A request that a form on another site can send.
        let form: HTTPFields = ["Content-Type": "text/plain", "Origin": "http://evil.example"]
        #expect(try await stack.get("/-/reload", method: .post, headers: form).status == .forbidden)
        stack.change(["energy.max_gap": "1ms", "server.auth.bearer_token": "b34rer"])
        var rejected = try await stack.get("/-/reload", method: .put)
        #expect(rejected.status.code == 422)
        let text = String(decoding: rejected.bytes, as: UTF8.self)
        #expect(
            text.contains("--energy.max_gap: energy.max_gap: found `1ms`") && text.contains("\"status\":\"refused\"")
        )
        #expect(!text.contains("b34rer"))

        stack.change(["energy.max_gap": "1m"])
        #expect(try await stack.get("/-/reload", method: .put).status == .ok)
        rejected = try await stack.get("/-/reload", method: .put)
        #expect(rejected.status == .unauthorized)
        try await stack.stop()
    }

    /// Runs in its own process, where nothing else opens descriptors.
    @Test func leaksNothingAcrossReloads() async {
        await #expect(processExitsWith: .success) {
            let stack = try await Stack()
            func descriptors() throws -> Int {
                try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd").count
            }
            await stack.cycle()
            _ = try await stack.scrape()
            let before = try descriptors()
            for round in 0..<20 {
                stack.change(["winpower.api_timeout": "\(round + 1)s"])
                #expect(
                    await stack.reload()
                        == .applied(changed: ["winpower.api_timeout"], waiting: [], warnings: ReloadTests.warnings)
                )
                #expect(await stack.cycle() == .success)
            }
            #expect(stack.simulator.counters.logins == 21)
            // Connections of replaced sources close on their own queues; some may still be closing.
            #expect(try descriptors() < before + 20)
            try await stack.stop()
        }
    }

    @Test func keepsTheTokenIfItsSettingsAreUnchanged() async throws {
        let stack = try await Stack()
        await stack.cycle()
        stack.change(["energy.max_gap": "2m"])
        await stack.reload()
        await stack.cycle()
        #expect(stack.simulator.counters.logins == 1)
        try await stack.stop()
    }

    @Test func keepsTokenAndBackoffUnlessTheClientChanges() async throws {
        let files = try TemporaryDirectory()
        let password = files.file("password")
        try Data("wrong\n".utf8).write(to: URL(filePath: password))
        let stack = try await Stack(settings: ["winpower.password": "", "winpower.password_file": password])
        for _ in 0..<6 {
            #expect(await stack.cycle() == .failure(.auth))
            await stack.reload()
        }
        #expect(stack.simulator.counters.rejectedLogins == 1)
        try Data("admin\n".utf8).write(to: URL(filePath: password))
        await stack.reload()
        #expect(await stack.cycle() == .success)
        await stack.reload()
        #expect(await stack.cycle() == .success)
        #expect(stack.simulator.counters.logins == 1)
        try await stack.stop()
    }

    @Test func replacesTheClientIfTheContentOfTheCAFileChanges() async throws {
        let files = try TemporaryDirectory()
        let authorities = try files.write(CertificateAuthority.generate().certificatePEM, to: "ca.pem")
        let stack = try await Stack(settings: ["winpower.ca_file": authorities])
        for _ in 0..<2 {
            #expect(await stack.cycle() == .success)
            // Rewritten with the same content.
            try files.write(try files.text(of: "ca.pem"), to: "ca.pem")
            #expect(await stack.reload() != .rejected([]))
        }
        #expect(stack.simulator.counters.logins == 1)
        try files.write(CertificateAuthority.generate().certificatePEM, to: "ca.pem")
        await stack.reload()
        #expect(await stack.cycle() == .success)
        #expect(stack.simulator.counters.logins == 2)
        await stack.reload()
        #expect(await stack.cycle() == .success)
        #expect(stack.simulator.counters.logins == 2)
        try await stack.stop()
    }

    #if os(Linux)
    @Test func remembersVerifiedPasswordsAcrossReloads() async throws {
        // The hash of "pa:ss wörd".
        let hash = "$2b$04$abcdefghijklmnopqrstuuC5VMwYwbzdFgvTXUffgXF6mHCmfegLa"
        let computed = Mutex(0)
        var parts = Exporter.Parts()
        parts.program.passwords = PasswordChecker(maxWaiting: 16) { hash, password in
            computed.withLock { $0 += 1 }
            return hash.matches(password)
        }
        let stack = try await Stack(
            settings: ["server.auth.username": "scraper", "server.auth.password_hash": hash],
            parts: parts
        )
        func status(_ password: String) async throws -> HTTPStatus {
            let basic = Data("scraper:\(password)".utf8).base64EncodedString()
            return try await stack.get("/metrics", headers: ["Authorization": "Basic \(basic)"]).status
        }
        #expect(try await status("pa:ss wörd") == .ok)
        #expect(computed.withLock { $0 } == 1)
        for bound in ["2m", "3m"] {
            stack.change(["energy.max_gap": bound])
            await stack.reload()
            #expect(try await status("pa:ss wörd") == .ok)
        }
        #expect(computed.withLock { $0 } == 1)
        #expect(try await status("wrong") == .unauthorized)
        #expect(computed.withLock { $0 } == 2)
        // A different hash means a different account.
        stack.change(["server.auth.password_hash": hash.dropLast() + "b"])
        await stack.reload()
        #expect(try await status("pa:ss wörd") == .unauthorized)
        #expect(computed.withLock { $0 } == 3)
        try await stack.stop()
    }
    #endif

    @Test func readsFilesOffTheCooperativeThreads() async throws {
        let isAllowed = Mutex<[Bool]>([])
        let step = ReloadStep(reading: { _, _ in
            isAllowed.withLock { $0.append(Blocking.isAllowed) }
            return {}
        })
        let settings = ExporterSettings()
        _ = try await step.prepare(settings, settings)
        #expect(isAllowed.withLock { $0 } == [true])
        #expect(!Blocking.isAllowed)
    }

    @Test func documentsEveryFamily() async throws {
        let stack = try await Stack()
        await stack.cycle()
        let page = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().appending(path: "docs/metrics.md")
        let text = String(decoding: try Data(contentsOf: page), as: UTF8.self)
        let names = try await stack.scrape().map(\.name).filter { $0.hasPrefix("winpower_") }
        #expect(names.contains(Self.successful) && names.contains(Self.time))
        for name in names { #expect(text.contains("`\(name)`"), "\(name)") }
        try await stack.stop()
    }
}
