// SPDX-License-Identifier: MIT

import Testing
import WPCommandLine
@testable import WPProgram
import WPSettings
import WPTestKit

/// The commands of a program with a single function.
@Suite struct CommandSetTests {
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
}
