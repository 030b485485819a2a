// SPDX-License-Identifier: MIT

import WPCommandLine
import WPConfig
import WPExporter
import WPHub
import WPNode
import WPProgram
import WPSQL
import WPSettings

/// The commands of the program.
enum Program {
    private static let commands = CommandSet(
        ProgramDescription(
            own: Version.program,
            title: "WinPower G2 exporter",
            logName: "Exporter",
            summary: "Serves the UPSes behind a WinPower G2 server to Prometheus, with exact energy totals",
            metrics: "exporter"
        ),
        [
            CommandEntry(ServerCommand.self), CommandEntry(HubCommand.self), CommandEntry(SQLCommand.self),
            CommandEntry(NodeCommand.self), CommandEntry(DemoCommand.self), CommandEntry(SimulateCommand.self),
            CommandEntry(DevicesCommand.self), CommandEntry(WatchCommand.self), CommandEntry(EnergyCommand.self),
            CommandEntry(HistoryCommand.self),
            HealthcheckCommand(Version.program, ExporterSettings.table) {
                try ConfigOption.load($0, requireWinPower: false).settings.server
            }.entry,
            CheckConfigCommand(Version.program, ExporterSettings.table) { try ConfigOption.load($0) }.entry,
        ],
        manual: CommandSet.Manual(
            date: Version.date,
            environmentNote:
                "Variables that begin with \(ExporterSettings.table.prefix), \(NodeSettings.table.prefix) or "
                + "\(SQLSettings.table.prefix) are settings; see above.",
            environment: [
                ("COLUMNS", "The width of help and tables, even if the output is not a terminal."),
                ("LC_ALL, LC_CTYPE, LANG", "Whether bars are drawn with block characters."),
                ("NO_COLOR", "If it is set and not empty, colours are off."),
                ("http_proxy, https_proxy, no_proxy", "The proxy, if the setting winpower.proxy is environment."),
            ],
            files: [
                (
                    ExporterSettings.table.searchPaths.joined(separator: ", "),
                    "The configuration file is the first of these that exists, unless --config names another."
                ),
                (HubSettings.table.searchPaths.joined(separator: ", "), "The same for a hub."),
                (NodeSettings.table.searchPaths.joined(separator: ", "), "The same for a node agent."),
                (SQLSettings.table.searchPaths.joined(separator: ", "), "The same for the SQL exporter."),
                ("./data", "The directory of the energy totals, unless storage.data_dir names another one."),
            ]
        )
    )

    static var spec: ProgramSpec { commands.spec }

    static func run(_ arguments: [String]) async -> ExitStatus { await commands.run(arguments) }
}
