// SPDX-License-Identifier: MIT

/// All settings: the one place where they are declared. Help, validation, the example file and the reference in
/// `docs/configuration.md` come from it.
public enum SettingTable {
    /// What every environment variable begins with.
    public static let prefix = "WINPOWER_EXPORTER_"

    /// A top-level key of the file.
    public struct Section: Sendable {
        /// The key.
        public let name: String
        /// What its settings are about.
        public let title: String
        /// Its settings, in the order of help and documents.
        public let settings: [Setting]
    }

    /// The sections in the order of help and documents.
    public static let sections: [Section] = [
        Section(name: "server", title: "The HTTP server that Prometheus scrapes", settings: server),
        Section(name: "winpower", title: "The WinPower server that is read", settings: winpower),
        Section(name: "storage", title: "Where energy totals are kept", settings: storage),
        Section(name: "energy", title: "How energy is summed", settings: energy),
        Section(name: "scheduler", title: "When devices are read", settings: scheduler),
        Section(name: "metrics", title: "What is served", settings: metrics),
        Section(name: "logging", title: "What is logged, and where", settings: logging),
    ]

    /// All settings in the order of the sections.
    public static let all: [Setting] = sections.flatMap(\.settings)

    /// The setting of a key, or nil.
    public static func setting(_ key: String) -> Setting? { byKey[key] }

    private static let byKey: [String: Setting] = all.reduce(into: [:]) { $0[$1.key] = $1 }

    /// The settings by each of their environment variables.
    static let byVariable: [String: Setting] = all.reduce(into: [:]) { table, setting in
        for name in setting.environment { table[name] = setting }
    }
}
