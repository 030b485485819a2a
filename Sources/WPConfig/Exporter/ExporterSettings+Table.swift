// SPDX-License-Identifier: MIT

package import WPCommandLine

extension ExporterSettings {
    /// All settings of the exporter: the one place where they are declared.
    public static let table = SettingTable(
        prefix: "WINPOWER_EXPORTER_",
        defaults: ExporterSettings(),
        searchPaths: [
            "./config.yaml", "./config.yml", "/etc/winpower-exporter/config.yaml",
            "~/.config/winpower-exporter/config.yaml",
        ],
        sections: [
            SettingSection("server", "The HTTP server that Prometheus scrapes", server + access.settings),
            SettingSection("winpower", "The WinPower server that is read", winpower),
            SettingSection("storage", "Where energy totals are kept", storage),
            SettingSection("energy", "How energy is summed", energy),
            SettingSection("scheduler", "When devices are read", scheduler),
            SettingSection("metrics", "What is served", metrics),
            SettingSection("history", "What is kept of the past", history),
            SettingSection("hub", "The hub, and what is sent to one", hub),
            SettingSection("nut", "The server for Network UPS Tools", nut),
            SettingSection("logging", "What is logged, and where", SettingGroup(log: \ExporterSettings.logging).rows),
        ],
        warnings: warnings
    )

    /// The settings of a hub: the exporter's, with a file, a port and a host of its own.
    package static let hubTable = table.defaults(searchPaths: [
        "./hub.yaml", "./hub.yml", "/etc/winpower-hub/config.yaml", "~/.config/winpower-hub/config.yaml",
    ]) { settings in
        settings.server.port = 8082
        settings.server.host = "127.0.0.1"
    }

    /// The server's certificate, and who may ask it.
    package static let access = ServerAccess(
        host: \ExporterSettings.server.host,
        tls: \.server.tls,
        auth: \.server.auth
    )

    /// The options of all settings, of which help shows some.
    /// - Parameters:
    ///   - names: the names of the sections that are shown.
    ///   - table: the settings, with their defaults.
    package static func options(
        showing names: Set<String>,
        of table: SettingTable<ExporterSettings> = table
    ) -> SharedOptions {
        table.options(
            showing: names,
            rest: "Settings that are not shown here are accepted as well; `server --help` shows them all."
        )
    }

    /// The example file.
    package static var exampleFile: String {
        table.exampleFile(head: [
            "The configuration of winpower-exporter: all settings, at their defaults.",
            "Flags override environment variables, which override this file. docs/configuration.md has the details.",
        ])
    }
}
