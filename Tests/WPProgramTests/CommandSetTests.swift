// SPDX-License-Identifier: MIT

import Foundation
import Testing
import WPCommandLine
import WPLogging
import WPMetrics
@testable import WPProgram
import WPServer
import WPSettings
import WPTestKit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The commands of a program with a single function.
@Suite(.timeLimit(.minutes(1))) struct CommandSetTests {
    private let commands = Probe.commands

    @Test func hasTheCommandsOfEveryProgram() {
        #expect(
            commands.spec.commands.map(\.name) == [
                "run", "healthcheck", "check-config", "completion", "man", "help", "version",
            ]
        )
    }

    @Test func usageNamesNoCommand() {
        let help = ProgramCommand<Probe>.spec(name: "run").unnamed(with: []).help(program: "probe")
        #expect(help.hasPrefix("Usage: probe [options]\n"))
        #expect(
            help.contains("--probe.greeting") && help.contains("--config ") && help.contains("--server.tls.cert-file")
        )
    }

    @Test func passesOptionsToTheMainCommand() async throws {
        #expect(await commands.run(["--check", "--probe.interval=2s"]) == .success)
        #expect(await commands.run(["--config.print", "--format", "json"]) == .success)
        #expect(await commands.run(["run", "--check"]) == .success)
        #expect(await commands.run(["check-config"]) == .success)
        for arguments in [
            ["--help"], ["help"], ["help", "run"], ["--version"], ["version"], ["man"], ["completion", "zsh"],
        ] {
            #expect(await commands.run(arguments) == .success, "\(arguments)")
        }
    }

    @Test(arguments: [
        ["--check", "--probe.interval=0s"], ["--nothing"], ["serve"], ["--check", "--config", "/nowhere/probe.yaml"],
        ["check-config", "--server.port=-1"], ["completion", "csh"], ["help", "nothing"],
    ])
    func exitsWithUsageStatusAfterUserErrors(_ arguments: [String]) async {
        #expect(await commands.run(arguments) == .usage)
    }

    @Test func failsIfTheProgramDoesNotRespond() async {
        #expect(
            await commands.run(["healthcheck", "--url", "http://127.0.0.1:1/health", "--timeout", "1s"]) == .failure
        )
    }

    @Test func documentsExitStatuses() throws {
        func statuses(_ name: String) throws -> [String] {
            let help = try commands.spec.command(name).help(program: "probe", width: 80)
            let lines = help.split(separator: "\n").drop { !$0.hasPrefix("Exit status") }.dropFirst()
            return lines.compactMap { $0.split(separator: " ").first.map(String.init) }.filter { Int($0) != nil }
        }
        for (name, expected) in [
            ("run", ["0", "1", "2"]), ("healthcheck", ["0", "1", "2"]), ("check-config", ["0", "1", "2"]),
            ("completion", ["0", "1", "2"]), ("man", ["0", "1"]), ("help", ["0", "1", "2"]), ("version", ["0", "1"]),
        ] {
            #expect(try statuses(name) == expected, "\(name)")
        }
        #expect([ExitStatus.success, .failure, .usage, .interrupted].map(\.rawValue) == [0, 1, 2, 130])
    }

    @Test func parsesTheArgumentsOfItsCommands() throws {
        func parse(_ name: String, _ arguments: [String]) throws -> ParsedOptions {
            try OptionParser(try commands.spec.command(name)).parse(arguments)
        }
        #expect(try parse("help", []).positionals.isEmpty)
        #expect(try parse("help", ["run"]).positionals == ["run"])
        #expect(try parse("completion", ["fish"]).positionals == ["fish"])
        for (name, arguments) in [("help", ["run", "man"]), ("completion", []), ("completion", ["zsh", "fish"])] {
            #expect(throws: OptionFault.self) { try parse(name, arguments) }
        }
    }

    /// Runs in its own process, whose output nothing else writes to.
    @Test func printsWhatWasAskedFor() async {
        let printed = await #expect(
            processExitsWith: .success,
            observing: [\.standardOutputContent, \.standardErrorContent]
        ) {
            for arguments in [
                ["--version"], ["version", "--format", "json"], ["--help"], ["help", "healthcheck"], ["man"],
                ["completion", "zsh"], ["check-config", "--help"], ["--check"], ["--config.print"],
                ["check-config", "--format", "json"], ["check-config", "--server.port=-1", "--format", "json"],
                ["serve"],
                ["--probe.interval=0s"],
            ] {
                _ = await Probe.commands.run(arguments)
            }
        }
        let text = String(decoding: printed?.standardOutputContent ?? [], as: UTF8.self)
        let errors = String(decoding: printed?.standardErrorContent ?? [], as: UTF8.self)
        for line in [
            "probe 1.2.3 (Swift", #""program":"probe""#, "Usage: probe [options]\n", "Usage: probe healthcheck ",
            "\n.Sh ", "#compdef probe", "Usage: probe check-config ", "The settings are valid. No file.\n",
            "probe.interval", #""valid":true"#, #""valid":false"#, #""key":"server.port""#, #""source":"flag""#,
            #""code":""#, #""message":"#, "Commands:\n",
        ] {
            #expect(text.contains(line), "\(line)")
        }
        #expect(errors.contains("probe: "))
        #expect(errors.contains("probe.interval"))
    }

    @Test(arguments: [(nil, 80), (39, 40), (40, 40), (41, 41), (120, 120), (121, 120)])
    func wrapsTextAtReadableWidths(_ columns: Int?, _ width: Int) {
        #expect(Console.textWidth(columns) == width)
    }

    // MARK: Health checks

    /// Runs a program and its health check.
    private func healthcheck(_ greeting: String, _ arguments: [String] = []) async throws -> WPProgram.ExitStatus {
        var settings = ProbeSettings()
        settings.greeting = greeting
        let frame = try await ProgramFrame<Probe>(settings: settings, listens: true)
        let port = try #require(frame.server?.port)
        let running = Task { try await frame.run() }
        #expect(await eventually { frame.program.journal.all.contains("run \(greeting)") })
        let status = await commands.run(["healthcheck", "--url", "http://127.0.0.1:\(port)/health"] + arguments)
        #expect(await commands.run(["healthcheck", "--server.port=\(port)"] + arguments) == status)
        running.cancel()
        try await running.value
        return status
    }

    @Test func checksTheHealthOfARunningProgram() async throws {
        #expect(try await healthcheck("hello") == .success)
        #expect(try await healthcheck("hello", ["--strict"]) == .success)
        #expect(try await healthcheck("fail") == .success)
        #expect(try await healthcheck("fail", ["--strict"]) == .failure)
    }

    @Test(arguments: [
        ["--client-cert", "x"], ["--client-key", "x"], ["--url", "nothing"], ["--timeout", "x"],
        ["--ca-file", "/nowhere/ca.pem"],
    ])
    func rejectsInvalidHealthChecks(_ arguments: [String]) async {
        #expect(await commands.run(["healthcheck", "--url", "https://127.0.0.1:1"] + arguments) == .usage)
    }

    @Test func asksTheProgramOnThisMachine() {
        var server = ServerSettings(host: "0.0.0.0", port: 81)
        #expect(HealthProbe.localURL(of: server) == "http://127.0.0.1:81/health")
        (server.host, server.tls.certFile) = ("192.0.2.1", "x")
        #expect(HealthProbe.localURL(of: server) == "https://192.0.2.1:81/health")
        #expect(HealthProbe.Answer(status: .ok).description == "ok")
        #expect(HealthProbe.Answer(status: .degraded, reason: "a", summary: "b").description == "degraded (a), b")
    }

    // MARK: Running

    /// A program that asks to be stopped as soon as it runs.
    private struct Brief: ExporterProgram {
        static let description = ProgramDescription("brief", summary: "Stops", version: "1.2.3", revision: "abc")

        init(_ context: ProgramContext<ProbeSettings>) throws {
            context.logFields(["subject": "tests"])
            let registry = context.registry
            context.onListening {
                #expect(registry.declaredNames.contains("brief_log_records_lost_total"))
                Task {
                    // Dispatch loses signals that arrive before it has registered their sources.
                    _ = await eventually { Self.receivesSignals }
                    kill(getpid(), SIGTERM)
                }
            }
        }

        private static var receivesSignals: Bool {
            #if os(Linux)
            let (folder, files) = ("/proc/self/fd/", FileManager.default)
            let links = ((try? files.contentsOfDirectory(atPath: folder)) ?? []).map { folder + $0 }
            // SIGTERM, SIGINT, SIGHUP and SIGUSR1.
            return links.count { (try? files.destinationOfSymbolicLink(atPath: $0)) == "anon_inode:[signalfd]" } == 4
            #else
            return true
            #endif
        }
    }

    /// Runs in its own process, which receives the signal.
    @Test func runsUntilASignal() async {
        let result = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            #expect(await Brief.commands.run(["--server.enable-pprof", "--server.host=0.0.0.0"]) == .success)
        }
        let log = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self).split(separator: "\n")
        let started = log.first { $0.contains(#""brief started""#) } ?? ""
        for field in [#""version":"1.2.3""#, #""revision":"abc""#, #""config_file":"""#, #""subject":"tests""#] {
            #expect(started.contains(field), "\(started)")
        }
        #expect(started.contains(#""port":"#) && !started.contains(#""port":0"#))
        #expect(log.contains { $0.contains("Setting needs attention") && $0.contains("server.enable_pprof") })
        #expect(log.last?.contains(#""brief stopped""#) == true)
    }
}
