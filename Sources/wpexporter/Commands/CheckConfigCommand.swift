// SPDX-License-Identifier: MIT

import WPCommandLine
import WPConfig
import WPExporter

/// `wpexporter check-config`
enum CheckConfigCommand: Command {
    static let name = "check-config"
    static let spec = CommandSpec(
        name,
        group: CommandGroup.prepare,
        summary: "Checks the settings and shows those in effect, with secrets redacted",
        options: [ConfigOption.option, FormatOption.option],
        shared: ExporterSettings.table.options,
        examples: [.init("wpexporter check-config --config config.yaml", "Check a file before a restart")],
        exitStatuses: [
            .init(0, "the settings are valid"), .init(1, "the output cannot be written"),
            .init(2, "they are not; all errors are reported"),
        ]
    )

    static func run(_ options: ParsedOptions) async throws -> ExitStatus {
        let format = FormatOption.value(options)
        do {
            try Console.output(format.report(try ConfigOption.load(options)))
            return .success
        } catch let faults as SettingsFaults where format == .json {
            try Console.output(SettingsReport.json(of: faults))
            return .usage
        }
    }
}
