// SPDX-License-Identifier: MIT

/// The changes that a reload makes to the running settings.
public struct SettingsUpdate<Settings: Sendable>: Sendable {
    /// The settings in effect after the reload: those loaded, except that settings that need a restart keep their
    /// values.
    public let settings: LoadedSettings<Settings>
    /// The keys of changed values, in table order.
    public let changed: [String]
    /// The keys of values that take effect after a restart, in table order.
    public let waiting: [String]
    /// Warnings about changes that admit or trust more than before, one sentence each without a full stop.
    package let weakened: [String]

    /// Compares settings, including secrets.
    /// - Parameters:
    ///   - running: the running settings.
    ///   - loaded: the newly loaded settings.
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
