// SPDX-License-Identifier: MIT

import WPCommandLine
import WPConfig
import WPCore
import WPExporter
import WPLogging
import WPModel
import WPProgram
import WPSettings
import WPTerminal

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `wpexporter watch`
enum WatchCommand: Command {
    static let name = "watch"
    static let spec = CommandSpec(
        name,
        group: CommandGroup.inspect,
        summary: "Shows the devices live: load, mode, battery, energy",
        discussion: [
            "It reads WinPower on its own, with the settings of server, whether or not an exporter runs. On a terminal it "
                + "draws a table that follows the window's size, until q or Ctrl-C; to a pipe or file it prints one line "
                + "per device per reading, in key=value pairs.",
            "SESSION is the energy since the start, metered by the exporter's rules. TOTAL is what an exporter has saved "
                + "in the data directory; nothing is written there and no lock is taken. While "
                + "WinPower does not answer, the last values stay, dimmed, with their age and the reason.",
        ],
        options: [
            CommandOption(
                "--count",
                .value("N"),
                help: "Exit after this number of polls, and leave the last readings on the screen",
                defaultText: "never"
            ),
            CommandOption(
                "--format",
                .choice(WatchFormat.allCases.map(\.rawValue)),
                help: "Output format: a screen, lines, or one JSON document per reading",
                defaultText: "screen on a terminal, otherwise lines"
            ),
            ConfigOption.option,
        ],
        shared: ExporterSettings.options(showing: ["winpower", "scheduler", "storage"]),
        examples: [
            .init("wpexporter watch --config config.yaml --interval 2s", "Read every two seconds"),
            .init(
                "wpexporter watch --count 1 | grep -v mode=line",
                "Read once, and show only devices that are not on mains"
            ),
        ],
        exitStatuses: [
            .init(0, "it was stopped, or the count is reached"),
            .init(1, "no reading succeeded; the message says why and what to do"),
            .init(2, "invalid settings or arguments"),
        ]
    )

    static func run(_ options: ParsedOptions) async throws -> ExitStatus {
        let terminal = Terminal.standardOutput
        let environment = ProcessInfo.processInfo.environment
        let isScreen = terminal.isTerminal && !["", "dumb"].contains(environment["TERM"] ?? "")
        let format = options.value(of: "--format").flatMap(WatchFormat.init) ?? (isScreen ? .screen : .lines)
        guard format != .screen || terminal.size != nil else {
            throw OptionFault(.invalidValue, "--format: a screen needs a terminal; lines and json do not")
        }
        let limit = try options.integer(of: "--count", in: 1...Int.max)
        let loaded = try ConfigOption.load(options)
        ConfigOption.warn(loaded)
        let timeSource = SystemTimeSource()
        let output: any WatchOutput =
            switch format {
            case .screen:
                WatchScreen(
                    terminal: terminal,
                    withStyles: terminal.showsColours(environment),
                    glyphs: .supported(by: environment),
                    timeSource: timeSource
                )
            case .lines: WatchStream(asJSON: false, write: Console.output)
            case .json: WatchStream(asJSON: true, write: Console.output)
            }
        let (collector, scheduler) = try await Components.watch(
            loaded: loaded,
            timeSource: timeSource,
            logger: .silent
        )
        let session = WatchSession(
            loaded: loaded,
            collector: collector,
            scheduler: scheduler,
            timeSource: timeSource,
            limit: limit
        )
        let failure = try await session.run(output)
        if let failure { Console.error("\(Version.program): \(failure)\n") }
        return failure == nil ? .success : .failure
    }
}

/// `--format screen|lines|json`
enum WatchFormat: String, CaseIterable {
    case screen, lines, json
}
