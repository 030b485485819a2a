// SPDX-License-Identifier: MIT

public import WPSettings

/// The settings of a program: its own and those of the framework, `server.*` and `logging.*`.
///
/// ```swift
/// struct SensorSettings: ProgramSettings {
///     var server = ServerSettings(port: 9101)
///     var logging = LoggingSettings()
///     var interval = Duration.seconds(5)
///
///     static let table = SettingTable(
///         prefix: "SENSOR_",
///         defaults: SensorSettings(),
///         searchPaths: ["./sensor.yaml", "/etc/sensor.yaml"],
///         server: \.server,
///         logging: \.logging,
///         sections: [
///             SettingSection(
///                 "sensor",
///                 "The sensor",
///                 [
///                     Setting(
///                         "sensor.interval",
///                         \.interval,
///                         .duration(.seconds(1) ... .seconds(3600)),
///                         help: "Time between two measurements"
///                     )
///                 ]
///             )
///         ]
///     )
/// }
/// ```
public protocol ProgramSettings: Sendable {
    /// The settings, declared once for all uses.
    static var table: SettingTable<Self> { get }
    /// `server.*`
    var server: ServerSettings { get }
    /// `logging.*`
    var logging: LoggingSettings { get }
    /// The names of the program's own loggers (`Logger.named(_:)`) that `logging.levels` accepts besides those of the
    /// framework: http, scheduler, server and settings. None by default.
    static var logModules: [String] { get }
    /// How long a shutdown waits for open requests. The default implementation returns `server.shutdown_timeout`.
    var shutdownTimeout: Duration { get }
}

extension ProgramSettings {
    /// None.
    public static var logModules: [String] { [] }

    /// The names of all loggers.
    static var allLogModules: [String] {
        Array(Set(["http", "scheduler", "server", "settings"]).union(logModules))
    }

    /// `server.shutdown_timeout`
    public var shutdownTimeout: Duration { server.shutdownTimeout }
}

extension SettingTable where Settings: ProgramSettings {
    /// Declares the settings of a program: its own sections between `server.*` and `logging.*`, which the framework
    /// defines.
    /// - Parameters:
    ///   - prefix: the prefix of all environment variables, such as `SENSOR_`.
    ///   - defaults: the default settings.
    ///   - searchPaths: where the configuration file is searched for if `--config` names none.
    ///   - server: the key path of `server.*`.
    ///   - logging: the key path of `logging.*`.
    ///   - sections: the program's own settings.
    ///   - warnings: warnings about valid but questionable settings, in addition to the framework's.
    public init(
        prefix: String,
        defaults: Settings,
        searchPaths: [String] = [],
        server: any WritableKeyPath<Settings, ServerSettings> & Sendable,
        logging: any WritableKeyPath<Settings, LoggingSettings> & Sendable,
        sections: [SettingSection<Settings>],
        warnings:
            @escaping @Sendable (
                _ settings: Settings, _ origin: (SettingPath<Settings>) -> SettingOrigin
            ) -> [String] = { _, _ in [] }
    ) {
        self.init(
            prefix: prefix,
            defaults: defaults,
            searchPaths: searchPaths,
            server: server,
            logging: logging,
            leavingOut: [],
            sections: sections,
            warnings: warnings
        )
    }

    /// - Parameter keys: rows of `server.*` that the program omits or declares under other keys.
    package init(
        prefix: String,
        defaults: Settings,
        searchPaths: [String],
        server: any WritableKeyPath<Settings, ServerSettings> & Sendable,
        logging: any WritableKeyPath<Settings, LoggingSettings> & Sendable,
        leavingOut keys: Set<String>,
        sections: [SettingSection<Settings>],
        warnings:
            @escaping @Sendable (
                _ settings: Settings, _ origin: (SettingPath<Settings>) -> SettingOrigin
            ) -> [String]
    ) {
        let access = ServerAccess(server)
        let serverRows = SettingGroup(root: server).listenerRows.filter { !keys.contains($0.key) } + access.settings
        self.init(
            prefix: prefix,
            defaults: defaults,
            searchPaths: searchPaths,
            sections: [SettingSection("server", "The HTTP server that Prometheus scrapes", serverRows)] + sections + [
                SettingSection(
                    "logging",
                    "The log",
                    SettingGroup(root: logging).rows(modules: Settings.allLogModules)
                )
            ],
            problems: { access.problems(in: $0) },
            warnings: { settings, origin in
                let name: (SettingPath<Settings>) -> String = { "\(Settings.table[$0].key) (\(origin($0)))" }
                return access.warnings(settings, name) + access.openWarnings(settings, name)
                    + warnings(settings, origin)
            }
        )
    }
}
