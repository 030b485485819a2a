// SPDX-License-Identifier: MIT

import WPCommandLine
import WPCore
import WPConfig
import WPExporter
import WPHost
import WPLogging
import WPNode
import WPProgram
import WPServer
import WPService
import WPSettings
import WPTerminal

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `wpexporter node`
enum NodeCommand: Command {
    static let name = "node"

    static let spec = ProgramCommand<NodeProgram>.spec(
        group: CommandGroup.run,
        options: [
            CommandOption("--once", help: "Sample for a second, print one snapshot, and exit"),
            CommandOption(
                "--watch",
                help: "Show this machine live on the terminal, or as a JSON document per interval"
            ),
        ],
        format: CommandOption(
            "--format",
            .choice(FormatOption.tableOrJSON),
            help: "Output format of --once, --watch and --config.print",
            defaultText: FormatOption.tableOrJSON[0]
        ),
        examples: [
            .init("wpexporter node", "Serve on port 9100"),
            .init("wpexporter node --once --format json | jq .cpu", "One snapshot, for a program"),
            .init(
                "wpexporter node --node.hub https://hub.example.com:8082 --node.hub-token-file ./token",
                "Push to a hub as well"
            ),
        ],
        exitStatuses: [.init(130, "--once was interrupted by Ctrl-C")]
    )

    static func run(_ options: ParsedOptions) async throws -> ExitStatus {
        if options.contains("--once") { return try await printOnce(options) }
        if options.contains("--watch") { return try await watch(options) }
        return try await ProgramCommand<NodeProgram>.run(options)
    }

    private static func load(_ options: ParsedOptions) throws -> LoadedSettings<NodeSettings> {
        try NodeProgram.load(options, environment: ProcessInfo.processInfo.environment)
    }

    private static func watch(_ options: ParsedOptions) async throws -> ExitStatus {
        let terminal = Terminal.standardOutput
        let environment = ProcessInfo.processInfo.environment
        let asJSON = options.value(of: "--format") == "json"
        guard asJSON || terminal.size != nil else {
            throw OptionFault(.invalidValue, "--watch: a screen needs a terminal; --format json does not")
        }
        let loaded = try load(options)
        ConfigOption.warn(loaded)
        let watch = NodeWatch(loaded.settings)
        if asJSON {
            try await watch.run(writingTo: Console.output)
        } else {
            let glyphs = Glyphs.supported(by: environment)
            let screen = LiveScreen(
                terminal: terminal,
                withStyles: terminal.showsColours(environment),
                glyphs: glyphs,
                timeSource: .system
            )
            try await watch.run(on: screen, glyphs: glyphs)
        }
        return .success
    }

    private static func printOnce(_ options: ParsedOptions) async throws -> ExitStatus {
        let signals = Signals.stream(of: Signals.ending)
        let loaded = try load(options)
        ConfigOption.warn(loaded)
        let settings = loaded.settings
        let sampler = HostSampler(settings.host)
        let reading = Task { try await sampler.snapshot(nodeName: settings.node.name) }
        let waiting = Task {
            for await _ in signals {
                reading.cancel()
                break
            }
        }
        defer { waiting.cancel() }
        let snapshot: NodeSnapshot
        do {
            snapshot = try await reading.value
        } catch is CancellationError {
            return .interrupted
        }
        if options.value(of: "--format") == "json" {
            try Console.output(snapshot.json())
            return .success
        }
        let environment = ProcessInfo.processInfo.environment
        let terminal = Terminal.standardOutput
        let view = SnapshotView(
            snapshot,
            width: terminal.lineWidth(environment),
            glyphs: .supported(by: environment)
        )
        let withStyles = terminal.showsColours(environment)
        try Console.output(view.lines.map { $0.rendered(withStyles: withStyles) + "\n" }.joined())
        return .success
    }
}
