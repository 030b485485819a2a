// SPDX-License-Identifier: MIT

/// Settings that were loaded and checked.
public struct LoadedSettings<Settings: Sendable>: Sendable {
    let table: SettingTable<Settings>
    /// The values.
    public let settings: Settings
    /// The file that was read, or nil.
    public let configFile: String?
    /// What works but should be looked at, one sentence each without a full stop.
    public let warnings: [String]
    /// All settings in the order of the table, and where each came from.
    public let effective: [EffectiveSetting]
}

/// A setting's value as it may be shown, and its origin.
public struct EffectiveSetting: Sendable, Hashable {
    /// The key.
    public let key: String
    /// The value as text; `<REDACTED>` for a secret, empty when there is none.
    public let value: String
    /// Where it came from.
    public let origin: SettingOrigin
}
