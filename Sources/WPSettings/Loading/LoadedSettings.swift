// SPDX-License-Identifier: MIT

/// Settings that were loaded and validated.
public struct LoadedSettings<Settings: Sendable>: Sendable {
    let table: SettingTable<Settings>
    /// The values.
    public let settings: Settings
    /// The file that was read, or nil.
    public let configFile: String?
    /// Warnings about valid but questionable settings, one sentence each without a full stop.
    public let warnings: [String]
    /// All settings in table order, and where each came from.
    public let effective: [EffectiveSetting]

    /// These settings with additional entries that are not in the table.
    package func adding(
        _ change: (inout Settings) -> Void,
        configFile: String? = nil,
        warnings more: [String] = []
    ) -> LoadedSettings {
        var settings = settings
        change(&settings)
        return LoadedSettings(
            table: table,
            settings: settings,
            configFile: configFile ?? self.configFile,
            warnings: warnings + more,
            effective: effective
        )
    }
}

/// A setting's displayable value and its origin.
public struct EffectiveSetting: Sendable, Hashable {
    /// The key.
    public let key: String
    /// The value as text; `<REDACTED>` for a secret, empty if there is none.
    public let value: String
    /// Where the value came from.
    public let origin: SettingOrigin
}
