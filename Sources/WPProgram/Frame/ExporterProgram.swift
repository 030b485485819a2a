// SPDX-License-Identifier: MIT

public import WPCommandLine
public import WPSettings

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A long-running program: it declares its components, and the framework does the rest.
///
/// ```swift
/// @main struct Sensor: ExporterProgram {
///     static let description = ProgramDescription("sensor", summary: "Serves a sensor", version: "1.0")
///
///     init(_ context: ProgramContext<SensorSettings>) throws {
///         let temperature = try context.registry.gauge(name: "sensor_celsius", help: "Temperature.", unit: "celsius")
///         context.every(\.interval) { settings in temperature.set(try await read(settings.device)) }
///     }
/// }
/// ```
///
/// The framework supplies: settings from flags, environment and file, with `--config`, `--config.print`, `--check` and
/// default locations; logging; a server with TLS, access control and socket activation; `/metrics`, `/health`, `/`,
/// `/debug/` and `/-/reload`; metrics of requests, process, build and reloads; signals, readiness, watchdog and
/// graceful shutdown; `help`, `completion`, `man`, `healthcheck` and exit statuses.
public protocol ExporterProgram: Sendable {
    /// The settings.
    associatedtype Settings: ProgramSettings

    /// The program's names and version.
    static var description: ProgramDescription { get }

    /// The options of its command besides those of its settings.
    static var options: [CommandOption] { get }

    /// Loads the settings. The default implementation loads ``ProgramSettings/table`` from the file named by `--config`
    /// or the first one found, the environment and flags. May block.
    static func load(_ options: ParsedOptions, environment: [String: String]) throws -> LoadedSettings<Settings>

    /// Creates the program: opens resources and declares its components.
    /// - Throws: an error whose description tells the operator what failed.
    init(_ context: ProgramContext<Settings>) async throws
}

extension ExporterProgram {
    /// None.
    public static var options: [CommandOption] { [] }

    /// Loads from `--config`, the environment and flags.
    public static func load(
        _ options: ParsedOptions,
        environment: [String: String]
    ) throws -> LoadedSettings<Settings> {
        try SettingsLoader(Settings.table, environment: environment).load(
            configPath: options.value(of: ConfigOption.name),
            flags: options.settingFlags
        )
    }

    static func load(_ options: ParsedOptions) throws -> LoadedSettings<Settings> {
        try load(options, environment: ProcessInfo.processInfo.environment)
    }
}

/// The options that every program has in addition to its settings.
package enum ConfigOption {
    package static let name = "--config"

    /// `--config PATH`
    package static func file<Settings>(of table: SettingTable<Settings>) -> CommandOption {
        CommandOption(
            name,
            .value("PATH"),
            help: "The YAML file with the settings",
            defaultText: table.searchPaths.isEmpty
                ? nil : "the first of \(table.searchPaths.joined(separator: ", ")) that exists"
        )
    }

    package static let print = CommandOption(
        "--config.print",
        help: "Show each setting's value and where it came from, with secrets redacted, and exit; see --format"
    )

    package static let check = CommandOption(
        "--check",
        help: "Check the settings, report all errors, and exit"
    )
}
