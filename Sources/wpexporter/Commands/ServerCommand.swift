// SPDX-License-Identifier: MIT

import WPCommandLine
import WPConfig
import WPExporter
import WPProgram
import WPSettings

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `wpexporter server`
enum ServerCommand: Command {
    static let name = "server"
    static let spec = ProgramCommand<ServerProgram>.spec(
        group: CommandGroup.run,
        examples: [
            .init("wpexporter server --config config.yaml", "With a configuration file"),
            .init(
                "wpexporter server --config config.yaml --config.print",
                "Show the settings in effect without starting"
            ),
            .init(
                "wpexporter server --winpower.url https://ups.example.com:8081 --winpower.username monitor "
                    + "--winpower.password-file ./password",
                "With flags only"
            ),
        ],
        failures: "a failure, such as a port that is in use or a data directory that cannot be written"
    )

    static func run(_ options: ParsedOptions) async throws -> ExitStatus {
        try await ProgramCommand<ServerProgram>.run(options)
    }
}

/// The exporter's settings, for commands that need some of them.
extension ConfigOption {
    static let option = file(of: ExporterSettings.table)

    /// - Parameters:
    ///   - requireWinPower: whether a WinPower server must be configured.
    ///   - checksFiles: whether the files that settings name must be readable; nil for the value of `requireWinPower`.
    static func load(
        _ options: ParsedOptions,
        requireWinPower: Bool = true,
        checksFiles: Bool? = nil
    ) throws(SettingsFaults) -> LoadedSettings<ExporterSettings> {
        try SettingsLoader(ExporterSettings.table, environment: ProcessInfo.processInfo.environment).load(
            configPath: options.value(of: "--config"),
            flags: options.settingFlags,
            requiresAll: requireWinPower,
            checksFiles: checksFiles ?? requireWinPower,
            examine: SettingsContents.problems
        )
    }

    /// Prints warnings about valid but questionable settings.
    static func warn<Settings>(_ loaded: LoadedSettings<Settings>) {
        for warning in loaded.warnings { Console.error("warning: \(warning)\n") }
    }
}
