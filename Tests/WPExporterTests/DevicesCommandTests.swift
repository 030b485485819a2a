// SPDX-License-Identifier: MIT

import Testing
import WPCommandLine
import WPConfig
import WPCore
@testable import WPExporter
import WPModel
import WPProgram
import WPSettings
import WPSimulator
import WPTerminal
import WPTestKit

@testable import wpexporter

/// The exit statuses of `devices` and `watch` against a simulator; other suites test their output.
@Suite struct DevicesCommandTests {
    private func run(_ command: String, _ arguments: [String], password: String = "admin") async throws -> Int32 {
        let server = SimulatorServer(simulator: WinPowerSimulator(configuration: SimulatorConfiguration()))
        try server.bind()
        let task = Task { try await server.run() }
        defer { task.cancel() }
        let url = try #require(server.url)
        let settings = ["--winpower.url", url, "--winpower.username=admin", "--winpower.password", password]
        return await Program.run([command] + arguments + settings).rawValue
    }

    @Test func readsOnce() async throws {
        #expect(try await run("devices", []) == 0)
        #expect(try await run("devices", ["--format", "json", "--logging.level=debug", "--port", "0"]) == 0)
        #expect(try await run("watch", ["--count", "1"]) == 0)
        #expect(try await run("watch", ["--count=1", "--format=json", "--interval", "1s"]) == 0)
    }

    @Test func reportsWhyTheDevicesCannotBeRead() async throws {
        #expect(try await run("devices", [], password: "wrong") == 1)
        #expect(try await run("watch", ["--count", "1"], password: "wrong") == 1)
    }

    @Test(
        arguments: [
            ["devices", "x"], ["devices", "--format", "csv"], ["devices", "--count", "1"],
            ["devices", "--winpower.url", "ftp://x"],
            ["watch", "--count", "0"], ["watch", "--count", "x"], ["watch", "--format", "table"],
            ["watch", "--interval", "5"], ["--port", "1", "server"], ["device"], ["help", "x"], ["help", "x", "y"],
        ]
    )
    func badArgumentsEndWithStatusTwo(_ arguments: [String]) async {
        #expect(await Program.run(arguments) == .usage)
    }

    @Test func printsNoTableWithoutDevices() throws {
        let report = DeviceReport(server: "x", time: SystemTimeSource().now, readings: [])
        let text = report.table(width: nil, withStyles: false, glyphs: .unicode)
        #expect(text == "WinPower lists no devices for this account.\n")
    }

    @Test func usesColoursOnlyOnTerminals() {
        let reading = DeviceReading.sample(time: SystemTimeSource().now)
        let report = DeviceReport(server: "x", time: SystemTimeSource().now, readings: [reading])
        #expect(report.table(width: nil, withStyles: true, glyphs: .unicode).contains("\u{1b}[32mline\u{1b}[0m"))
        #expect(!report.table(width: nil, withStyles: false, glyphs: .unicode).contains("\u{1b}"))
    }

    /// Every command that loads settings accepts the flag of each setting.
    @Test(arguments: ["server", "check-config", "healthcheck", "devices", "watch"])
    func acceptsAFlagForEverySetting(_ name: String) throws {
        let spec = try Program.spec.command(name)
        for setting in ExporterSettings.table.all {
            for flag in setting.flags {
                #expect(try OptionParser(spec).parse(["\(flag)=x"]).settingFlags.map(\.key) == [setting.key])
                guard setting.type == .boolean else { continue }
                let negated = "--no-" + flag.dropFirst(2)
                #expect(try OptionParser(spec).parse([negated]).settingFlags.map { $0.value.reveal() } == ["false"])
            }
        }
    }

    /// Every command's help fits the width and lists its exit statuses and, where useful, examples.
    @Test(arguments: [80, 100, 120])
    func helpFits(_ width: Int) {
        for command in Program.spec.commands {
            let help = command.help(program: "wpexporter", width: width)
            for line in help.split(separator: "\n") { #expect(line.count <= width, "\(line)") }
            #expect(help.contains("\nExit status:\n  0"), "\(command.name)")
        }
        for line in Program.spec.help(width: width).split(separator: "\n") { #expect(line.count <= width) }
    }

    @Test func acceptsTheExamples() throws {
        for command in Program.spec.commands {
            for example in command.examples {
                // Spaces inside quotes do not separate words.
                let words = example.command.split { "|>".contains($0) }[0].split(separator: "'").enumerated().flatMap {
                    $0.offset.isMultiple(of: 2) ? $0.element.split(separator: " ") : [$0.element]
                }.map(String.init)
                #expect(words.prefix(2) == ["wpexporter", command.name], "\(example.command)")
                _ = try OptionParser(command).parse(Array(words.dropFirst(2)))
            }
        }
    }
}
