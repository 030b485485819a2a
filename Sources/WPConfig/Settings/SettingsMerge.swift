// SPDX-License-Identifier: MIT

/// The settings while their layers are put on each other, lowest first.
struct SettingsMerge {
    private(set) var settings = ExporterSettings()
    var faults: [SettingsFault] = []
    var warnings: [String] = []
    /// Whether the file was read to its end. If not, nothing can be said to be missing.
    var isFileComplete = true
    /// By key, the environment variable that is set but empty.
    var emptyVariables: [String: String] = [:]
    private var origins: [String: SettingOrigin] = [:]
    private var faultyKeys: Set<String> = []

    /// Where a setting's value came from.
    func origin(of key: String) -> SettingOrigin { origins[key] ?? .standard }

    /// Whether any layer set it, rightly or wrongly.
    func isSet(_ key: String) -> Bool { origins[key] != nil }

    /// Whether all these settings have a value that can be relied on.
    func areSound(_ keys: String...) -> Bool { faultyKeys.isDisjoint(with: keys) }

    /// The first secret whose value stands in the file.
    var firstSecretFromFile: String? {
        SettingTable.all.first { setting in
            if setting.isSecret, case .file = origin(of: setting.key) { return true }
            return false
        }?.key
    }

    mutating func set(_ setting: Setting, to text: String, from origin: SettingOrigin) {
        do throws(SettingMismatch) {
            try setting.assign(text, &settings)
            origins[setting.key] = origin
        } catch {
            let found = setting.isSecret || !error.isShowable ? "found a value" : "found \(Quoted.text(text))"
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
