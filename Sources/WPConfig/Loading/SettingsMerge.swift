// SPDX-License-Identifier: MIT

import WPCommandLine

/// The settings while their layers are applied, lowest first.
struct SettingsMerge<Settings: Sendable> {
    private(set) var settings: Settings
    var faults: [SettingsFault] = []
    var warnings: [String] = []
    /// Whether the file was read to its end. If not, nothing can be said to be missing.
    var isFileComplete = true
    /// By key, the environment variable that is set but empty.
    var emptyVariables: [String: String] = [:]
    /// The keys of the secrets whose values stand in the file.
    var secretsInFile: [String] = []
    private var origins: [String: SettingOrigin] = [:]
    private var faultyKeys: Set<String> = []
    private var closed: Set<String> = []

    init(_ settings: Settings) {
        self.settings = settings
    }

    /// Where a setting's value came from.
    func origin(of key: String) -> SettingOrigin { origins[key] ?? .standard }

    /// Whether any layer set it, rightly or wrongly.
    func isSet(_ key: String) -> Bool { origins[key] != nil }

    /// Whether a setting has a value that can be relied on.
    func isSound(_ key: String) -> Bool { !faultyKeys.contains(key) }

    /// Whether a setting has a fault that says it should not be there, so that its companions are not reported as missing.
    func isClosed(_ key: String) -> Bool { closed.contains(key) }

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

    /// Takes the value that a program has assigned.
    mutating func take(_ setting: Setting<Settings>) {
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

    /// Adds a fault of a value. Its setting counts as set, so that it is not reported as missing as well.
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

    /// Adds a fault at the place that set a key, whose value is sound in itself.
    mutating func add(_ code: SettingsFault.Code, key: String, _ message: String) {
        faults.append(SettingsFault(code, origin(of: key), key: key, message))
    }

    /// Adds the fault that a setting must not be set together with another one.
    mutating func addConflict(_ key: String, _ message: String) {
        closed.insert(key)
        add(.conflict, key: key, message)
    }

    /// Adds the fault that a setting for access control is present but empty.
    mutating func addEmpty(_ origin: SettingOrigin, _ setting: Setting<Settings>, remove what: String) {
        closed.insert(setting.key)
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
