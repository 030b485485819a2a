// SPDX-License-Identifier: MIT

/// What a reload changes in the settings that a program runs with.
public struct SettingsUpdate<Settings: Sendable>: Sendable {
    /// What holds from now on: what was loaded, except for the settings that need a restart, which stay as they are.
    public let settings: LoadedSettings<Settings>
    /// The keys whose values change, in the order of the table.
    public let changed: [String]
    /// The keys whose new values wait for a restart, in the order of the table.
    public let waiting: [String]
    /// What the change lets in or trusts that the running settings did not, one sentence each without a full stop.
    package let weakened: [String]

    /// Compares settings, secrets too.
    /// - Parameters:
    ///   - running: what the program runs with.
    ///   - loaded: what was loaded since.
    public init(from running: LoadedSettings<Settings>, to loaded: LoadedSettings<Settings>) {
        var settings = loaded.settings
        var effective = loaded.effective
        var changed: [String] = []
        var waiting: [String] = []
        for (index, setting) in loaded.table.all.enumerated()
        where !setting.isSame(running.settings, loaded.settings) {
            guard setting.needsRestart else {
                changed.append(setting.key)
                continue
            }
            waiting.append(setting.key)
            setting.copy(running.settings, &settings)
            effective[index] = running.effective[index]
        }
        self.settings = LoadedSettings(
            table: loaded.table,
            settings: settings,
            configFile: loaded.configFile,
            warnings: loaded.warnings,
            effective: effective
        )
        let new = settings
        weakened = loaded.table.all.filter { $0.isWeakened(running.settings, new) }.map { setting in
            let (old, now) = (setting.text(running.settings), setting.text(new))
            let change = old == now || setting.isSecret ? "" : " (from \(Self.shown(old)) to \(Self.shown(now)))"
            return "\(setting.key): this reload weakens access\(change)"
        }
        self.changed = changed
        self.waiting = waiting
    }

    private static func shown(_ text: String) -> String { text.isEmpty ? "none" : text }
}
