// SPDX-License-Identifier: MIT

import WPCommandLine

/// The settings while their layers are applied, lowest precedence first.
struct SettingsMerge<Settings: Sendable> {
    private(set) var settings: Settings
    var faults: [SettingsFault] = []
    var warnings: [String] = []
    /// Whether the file was read completely. If not, settings cannot be reported as missing.
    var isFileComplete = true
    /// The environment variables that are set but empty, by key.
    var emptyVariables: [String: String] = [:]
    /// The keys of secrets given in the file.
    var secretsInFile: [String] = []
    private var origins: [String: SettingOrigin] = [:]
    private var faultyKeys: Set<String> = []
    private var rejectedKeys: Set<String> = []

    init(_ settings: Settings) {
        self.settings = settings
    }

    /// Where a setting's value came from.
    func origin(of key: String) -> SettingOrigin { origins[key] ?? .standard }

    /// Whether any layer sets it, even to an invalid value.
    func isSet(_ key: String) -> Bool { origins[key] != nil }

    /// Whether a setting's value is valid.
    func isValid(_ key: String) -> Bool { !faultyKeys.contains(key) }

    /// Whether a setting is in conflict or empty, so that the settings it requires are not reported as missing.
    func isRejected(_ key: String) -> Bool { rejectedKeys.contains(key) }

    /// Sets a value from its text.
    /// - Parameter isShowable: whether a fault may quote the text.
    mutating func set(
        _ setting: Setting<Settings>,
        to text: String,
        from origin: SettingOrigin,
        isShowable: Bool = true
    ) {
        do throws(SettingMismatch) {
            try setting.assign(text, &settings)
            origins[setting.key] = origin
        } catch {
            let isHidden = setting.isSecret || !error.isShowable || !isShowable
            let found = isHidden ? "found a value" : "found \(Quoted.text(text))"
            let hint = error.hint.map { "; \($0)" } ?? ""
            add(.invalidValue, origin, setting, "\(found), expected \(setting.type.expectation)\(hint)")
        }
    }

    /// Checks a value that the program assigned.
    mutating func check(_ setting: Setting<Settings>) {
        origins[setting.key] = .program
        do throws(SettingMismatch) {
            try setting.check(settings)
        } catch {
            let text = setting.text(settings)
            let isHidden = setting.isSecret || !error.isShowable || text.isEmpty
            let found = isHidden ? "found a value" : "found \(Quoted.text(text))"
            let hint = error.hint.map { "; \($0)" } ?? ""
            add(.invalidValue, .program, setting, "\(found), expected \(setting.type.expectation)\(hint)")
        }
    }

    /// Adds a fault for a value. The setting is then treated as set, so that it is not also reported as missing.
    mutating func add(
        _ code: SettingsFault.Code,
        _ origin: SettingOrigin,
        _ setting: Setting<Settings>,
        _ message: String
    ) {
        origins[setting.key] = origin
        faultyKeys.insert(setting.key)
        faults.append(SettingsFault(code, origin, key: setting.key, message))
    }

    /// Adds a fault at the origin of a setting whose value is valid by itself.
    mutating func add(_ code: SettingsFault.Code, key: String, _ message: String) {
        faults.append(SettingsFault(code, origin(of: key), key: key, message))
    }

    /// Adds a fault for a setting that must not be combined with another one.
    mutating func addConflict(_ key: String, _ message: String) {
        rejectedKeys.insert(key)
        add(.conflict, key: key, message)
    }

    /// Adds a fault for an access control setting that is present but empty.
    mutating func addEmpty(_ origin: SettingOrigin, _ setting: Setting<Settings>, remove what: String) {
        rejectedKeys.insert(setting.key)
        add(
            .invalidValue,
            origin,
            setting,
            "found nothing, expected \(setting.type.expectation); an empty value would leave access open, "
                + "so remove \(what) if that is intended"
        )
    }

    /// Computes the defaults that depend on other settings.
    mutating func completeDefaults(_ table: SettingTable<Settings>) {
        for setting in table.all where !isSet(setting.key) { setting.completeDefault?(&settings) }
    }
}
