// SPDX-License-Identifier: MIT

import WPCommandLine
import WPConfig
import WPExporter

/// `wpexporter man`
enum ManCommand: Command {
    static let name = "man"
    static let spec = CommandSpec(
        name,
        group: CommandGroup.prepare,
        summary: "Prints the manual page",
        examples: [
            .init("wpexporter man > /usr/local/share/man/man1/wpexporter.1", "Install it"),
            .init("wpexporter man | man -l -", "Read it"),
        ],
        exitStatuses: [.init(0, "it was printed"), .init(1, "the output cannot be written")]
    )

    static var page: ManualPage {
        ManualPage(
            Program.spec,
            date: Version.date,
            version: Version.number,
            environmentNote: "Variables that begin with \(ExporterSettings.table.prefix) are settings; see above.",
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
                (ExporterSettings.hubTable.searchPaths.joined(separator: ", "), "The same for a hub."),
                ("./data", "The directory of the energy totals, unless storage.data_dir names another one."),
            ]
        )
    }

    static func run(_ options: ParsedOptions) async throws -> ExitStatus {
        try Console.output(page.source)
        return .success
    }
}
