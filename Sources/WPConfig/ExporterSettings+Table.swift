// SPDX-License-Identifier: MIT

package import WPCommandLine
import WPProgram
public import WPSettings

extension ExporterSettings {
    /// The settings of the exporter, declared once for all uses.
    public static let table = SettingTable(
        prefix: "WINPOWER_EXPORTER_",
        defaults: ExporterSettings(),
        searchPaths: [
            "./config.yaml", "./config.yml", "/etc/winpower-exporter/config.yaml",
            "~/.config/winpower-exporter/config.yaml",
        ],
        server: \.server,
        logging: \.logging,
        leavingOut: ["server.shutdown_timeout"],
        sections: [
            SettingSection("winpower", "The WinPower server", winpower),
            SettingSection("storage", "The data directory", storage),
            SettingSection("energy", "How energy is summed", energy),
            SettingSection("scheduler", "When devices are read", scheduler),
            SettingSection("metrics", "What is served", metrics),
            SettingSection("history", "The history", history),
            SettingSection("hub", "The hub that readings are sent to", hub),
            SettingSection("nut", "The server for Network UPS Tools", nut),
        ],
        warnings: warnings
    ).ignoring(["hub.tokens_file", "hub.subject_metrics", "hub.host_names"])

    /// The options of all settings; help lists only some of them.
    /// - Parameter names: the names of the listed sections.
    package static func options(showing names: Set<String>) -> SharedOptions {
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
