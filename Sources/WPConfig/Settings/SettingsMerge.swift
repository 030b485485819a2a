// SPDX-License-Identifier: MIT

import WPCommandLine

/// The settings while their layers are put on each other, lowest first.
struct SettingsMerge {
    private(set) var settings = ExporterSettings()
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

    /// Where a setting's value came from.
    func origin(of key: String) -> SettingOrigin { origins[key] ?? .standard }

    /// Whether any layer set it, rightly or wrongly.
    func isSet(_ key: String) -> Bool { origins[key] != nil }

    /// Whether all these settings have a value that can be relied on.
    func areSound(_ keys: String...) -> Bool { faultyKeys.isDisjoint(with: keys) }

    /// Sets a value from its text.
    /// - Parameter isShowable: whether a fault may quote the text.
    mutating func set(_ setting: Setting, to text: String, from origin: SettingOrigin, isShowable: Bool = true) {
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

    /// Adds a fault of a value. Its setting counts as set, so that it is not reported as missing as well.
    mutating func add(_ code: SettingsFault.Code, _ origin: SettingOrigin, _ setting: Setting, _ message: String) {
        origins[setting.key] = origin
        faultyKeys.insert(setting.key)
        faults.append(SettingsFault(code, origin, key: setting.key, message))
    }

    /// Adds a fault at the place that set a key, whose value is sound in itself.
    mutating func add(_ code: SettingsFault.Code, key: String, _ message: String) {
        faults.append(SettingsFault(code, origin(of: key), key: key, message))
    }

    /// Computes the defaults that depend on other settings.
    mutating func completeDefaults() {
        if !isSet("metrics.stale_after") {
            settings.metrics.staleAfter = settings.scheduler.collectionInterval * 3
        }
        if !isSet("server.header_timeout") {
            settings.server.headerTimeout = min(settings.server.headerTimeout, settings.server.readTimeout)
        }
        if !isSet("server.body_timeout") {
            settings.server.bodyTimeout = min(settings.server.bodyTimeout, settings.server.readTimeout)
        }
        if !isSet("winpower.api_timeout") {
            settings.winpower.apiTimeout = min(settings.winpower.apiTimeout, settings.winpower.timeout)
        }
        if !isSet("winpower.refresh_threshold") {
            settings.winpower.refreshThreshold = min(
                settings.winpower.refreshThreshold,
                settings.winpower.tokenLifetime / 2
            )
        }
    }
}
