// SPDX-License-Identifier: MIT

import WPCommandLine
import WPConfig
import WPExporter
import WPLogging
import WPService

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `wpexporter server`
enum ServerCommand: Command {
    static let name = "server"
    static let spec = CommandSpec(
        name,
        group: CommandGroup.run,
        summary: "Reads the devices of a WinPower G2 server and serves them to Prometheus",
        discussion: [
            "Flags override environment variables, and these override the YAML file. "
                + "SIGTERM and SIGINT shut it down gracefully; a second signal ends it at once. SIGHUP reloads the "
                + "settings; SIGUSR1 reopens the log file."
        ],
        options: [ConfigOption.option, ConfigOption.print, FormatOption.option],
        shared: ExporterSettings.table.options,
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
        exitStatuses: [
            .init(0, "it was shut down"),
            .init(1, "it failed: for example a port in use, or a data directory that cannot be written"),
            .init(2, "invalid settings or arguments"),
        ]
    )

    static func run(_ options: ParsedOptions) async throws -> ExitStatus {
        if options.contains(ConfigOption.print.name) {
            try Console.output(FormatOption.value(options).report(try ConfigOption.load(options)))
            return .success
        }
        return try await RunningService.run { service in try await run(options, service) }
    }

    private static func run(_ options: ParsedOptions, _ service: Service) async throws {
        let loaded = try ConfigOption.load(options)
        let settings = loaded.settings
        let running = try RunningService(
            service,
            settings.logging,
            gracePeriod: settings.scheduler.gracefulShutdownTimeout,
            warnings: loaded.warnings
        )
        let logging = running.logging
        defer { logging.flush() }
        let exporter = try await Composition.exporter(
            loaded: loaded,
            parts: Exporter.Parts(lostLogRecords: { logging.lostRecords }),
            inherited: SocketActivation.takeDescriptors(),
            logger: logging.logger,
            reloading: running.reloading { try ConfigOption.load(options) }
        )
        let fields: LogFields = [
            "config_file": .string(loaded.configFile ?? ""),
            "upstream": .string(settings.winpower.baseURL?.description ?? ""),
            "data_dir": .string(settings.storage.dataDir),
        ]
        try await running.run("Exporter", fields, reload: { await exporter.reloader.reload(.signal) }) {
            try await exporter.run()
        }
    }
}

/// `--config PATH`, and the settings that come of it.
enum ConfigOption {
    static let option = option(of: ExporterSettings.table)

    /// The option of a program with a table of its own, whose help names the files that it looks for.
    static func option(of table: SettingTable<ExporterSettings>) -> CommandOption {
        CommandOption(
            "--config",
            .value("PATH"),
            help: "The YAML file with the settings",
            defaultText: "the first of \(table.searchPaths.joined(separator: ", ")) that exists"
        )
    }

    static let print = CommandOption(
        "--config.print",
        help: "Show each setting's value and where it came from, with secrets redacted, and exit; see --format"
    )

    /// - Parameters:
    ///   - table: the settings, with their defaults.
    ///   - checksFiles: whether the files that settings name must be readable; nil for when a WinPower server is required.
    static func load(
        _ options: ParsedOptions,
        table: SettingTable<ExporterSettings> = ExporterSettings.table,
        requireWinPower: Bool = true,
        checksFiles: Bool? = nil
    ) throws(SettingsFaults) -> LoadedSettings<ExporterSettings> {
        try SettingsLoader(table, environment: ProcessInfo.processInfo.environment).load(
            configPath: options.value(of: "--config"),
            flags: options.settingFlags,
            requiresAll: requireWinPower,
            checksFiles: checksFiles ?? requireWinPower,
            examine: SettingsContents.problems
        )
    }

    /// Tells a person of settings that work but should be looked at.
    static func warn<Settings>(_ loaded: LoadedSettings<Settings>) {
        for warning in loaded.warnings { Console.error("warning: \(warning)\n") }
    }
}
