// SPDX-License-Identifier: MIT

import WPCommandLine
import WPConfig
import WPExporter
import WPProgram
import WPService
import WPSettings
import WPTerminal

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `wpexporter devices`
enum DevicesCommand: Command {
    static let name = "devices"
    static let spec = CommandSpec(
        name,
        group: CommandGroup.inspect,
        summary: "Reads the devices once and lists them",
        discussion: [
            "It has the settings of server, reads WinPower as server does, and changes nothing. Use it to check the "
                + "address, the account and the certificate.",
            "On a terminal the table fits the width: names are shortened and columns left out. A pipe or file receives "
                + "all columns in full, separated by two spaces or more; COLUMNS sets a width there too. A dash is a value "
                + "that was not reported. MODE is unreachable for a device that WinPower cannot reach; its values are "
                + "the last known ones.",
        ],
        options: [
            CommandOption(
                "--format",
                .choice(FormatOption.tableOrJSON),
                help: "Output format",
                defaultText: FormatOption.tableOrJSON[0]
            ),
            ConfigOption.option,
        ],
        shared: ExporterSettings.options(showing: ["winpower"]),
        examples: [
            .init(
                "wpexporter devices --winpower.url https://ups.example.com:8081 --winpower.username monitor "
                    + "--winpower.password-file ./password --skip-ssl-verify",
                "Try a server before you write a configuration file"
            ),
            .init(
                "wpexporter devices --format json | jq '.devices[].name'",
                "For a program"
            ),
        ],
        exitStatuses: [
            .init(0, "the devices were read"),
            .init(1, "they could not be read; the message says why and what to do"),
            .init(2, "invalid settings or arguments"),
            .init(130, "interrupted by Ctrl-C"),
        ]
    )

    static func run(_ options: ParsedOptions) async throws -> ExitStatus {
        let signals = Signals.stream(of: Signals.ending)
        let loaded = try ConfigOption.load(options)
        ConfigOption.warn(loaded)
        guard let report = try await DeviceListing.report(loaded, until: signals) else { return .interrupted }
        if options.value(of: "--format") == "json" {
            try Console.output(report.json())
        } else {
            let environment = ProcessInfo.processInfo.environment
            let terminal = Terminal.standardOutput
            let table = report.table(
                width: terminal.lineWidth(environment),
                withStyles: terminal.showsColours(environment),
                glyphs: .supported(by: environment)
            )
            try Console.output(table)
        }
        return .success
    }
}
