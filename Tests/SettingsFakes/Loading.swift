// SPDX-License-Identifier: MIT

package import WPConfig
package import WPSettings

/// Loads settings in tests: the environment sets all required settings unless a test overrides it.
package enum Loading {
    package static let required = [
        "WINPOWER_EXPORTER_WINPOWER_BASE_URL": "https://winpower.example.com",
        "WINPOWER_EXPORTER_WINPOWER_USERNAME": "admin",
        "WINPOWER_EXPORTER_WINPOWER_PASSWORD": "s3cr3t-default",
    ]

    package static func load(
        yaml: String? = nil,
        environment: [String: String] = [:],
        flags: [ParsedFlag] = [],
        without missing: [String] = [],
        requiresAll: Bool = true,
        files: FakeFiles = FakeFiles()
    ) throws(SettingsFaults) -> LoadedSettings<ExporterSettings> {
        var files = files
        if let yaml { files.files["config.yaml"] = SettingsFile(bytes: Array(yaml.utf8)) }
        var variables = required.merging(environment) { _, new in new }
        for key in missing {
            for name in ExporterSettings.table.setting(key)?.environment ?? [] { variables[name] = environment[name] }
        }
        return try SettingsLoader(ExporterSettings.table, environment: variables, files: files)
            .load(
                configPath: yaml == nil ? nil : "config.yaml",
                flags: flags,
                requiresAll: requiresAll
            )
    }

    /// The faults of a load as text; empty if it succeeds.
    package static func faults(
        yaml: String? = nil,
        environment: [String: String] = [:],
        flags: [ParsedFlag] = [],
        without missing: [String] = [],
        files: FakeFiles = FakeFiles()
    ) -> [String] {
        do {
            _ = try load(yaml: yaml, environment: environment, flags: flags, without: missing, files: files)
            return []
        } catch {
            return error.faults.map(\.description)
        }
    }
}
