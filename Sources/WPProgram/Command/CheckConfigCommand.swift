// SPDX-License-Identifier: MIT

package import WPCommandLine
package import WPSettings

/// `check-config`: validates the settings and prints those in effect.
package struct CheckConfigCommand<Settings: Sendable>: Sendable {
    private let program: String
    private let table: SettingTable<Settings>
    private let load: @Sendable (ParsedOptions) throws -> LoadedSettings<Settings>

    package init(
        _ program: String,
        _ table: SettingTable<Settings>,
        load: @escaping @Sendable (ParsedOptions) throws -> LoadedSettings<Settings>
    ) {
        (self.program, self.table, self.load) = (program, table, load)
    }

    /// The command's entry in a ``CommandSet``.
    package var entry: CommandEntry { CommandEntry("check-config", { spec }, run) }

    private var spec: CommandSpec {
        CommandSpec(
            "check-config",
            group: CommandGroup.setUp,
            summary: "Checks the settings and shows those in effect, with secrets redacted",
            options: [ConfigOption.file(of: table), FormatOption.option],
            shared: table.options,
            examples: [.init("\(program) check-config --config config.yaml", "Check a file before a restart")],
            exitStatuses: [
                .init(0, "the settings are valid"), .init(1, "the output cannot be written"),
                .init(2, "they are not; all errors are reported"),
            ]
        )
    }

    private func run(_ options: ParsedOptions) async throws -> ExitStatus {
        let format = FormatOption.value(options)
        do {
            try Console.output(format.report(try load(options)))
            return .success
        } catch let faults as SettingsFaults where format == .json {
            try Console.output(SettingsReport.json(of: faults))
            return .usage
        }
    }
}
