// SPDX-License-Identifier: MIT

import WPCommandLine

/// The rules between settings.
struct SettingsRules {
    let requireWinPower: Bool

    func check(_ merge: inout SettingsMerge) {
        exclude("winpower.password", "winpower.password_file", &merge)
        let passwords = Self.passwordKeys.filter { merge.isSet($0) }
        for other in passwords.dropFirst() { exclude(passwords[0], other, &merge) }
        exclude("server.auth.bearer_token", "server.auth.bearer_token_file", &merge)
        // What is missing, or what a default contradicts, may stand in the part of the file that could not be read.
        guard merge.isFileComplete else { return }
        if requireWinPower { checkRequired(&merge) }
        checkAuthPairs(&merge)
        checkTLS(&merge)
        for rule in OrderRule.all { rule.check(&merge) }
    }

    private func checkRequired(_ merge: inout SettingsMerge) {
        for setting in SettingTable.all where setting.isRequired && !merge.isSet(setting.key) {
            let fileKey = setting.key + "_file"
            if merge.isSet(fileKey) { continue }
            var ways = "it is required: set \(setting.key) in the file, \(setting.variable), or \(setting.flag)"
            if let file = SettingTable.setting(fileKey) { ways += "; or name a file with \(file.key)" }
            let empty = merge.emptyVariables[setting.key] ?? merge.emptyVariables[fileKey]
            merge.add(.missing, key: setting.key, ways + (empty.map { " (\($0) is set but empty)" } ?? ""))
        }
    }

    private func exclude(_ key: String, _ fileKey: String, _ merge: inout SettingsMerge) {
        guard merge.isSet(key), merge.isSet(fileKey) else { return }
        let other = merge.origin(of: key)
        merge.add(.conflict, key: fileKey, "\(key) is set too (\(other)); only one of them may be")
    }

    private func checkAuthPairs(_ merge: inout SettingsMerge) {
        let password = Self.passwordKeys.first { merge.isSet($0) }
        let hasName = merge.isSet("server.auth.username")
        if hasName && password == nil {
            let message = "a user name needs a password: set server.auth.password_hash_file or one of its like"
            merge.add(.missing, key: "server.auth.username", message)
        }
        if let password, !hasName {
            merge.add(.missing, key: password, "a password needs a user name: set server.auth.username")
        }
    }

    private static let passwordKeys = [
        "server.auth.password", "server.auth.password_file", "server.auth.password_hash",
        "server.auth.password_hash_file",
    ]

    private func checkTLS(_ merge: inout SettingsMerge) {
        let needs = [
            ("server.tls.cert_file", "server.tls.key_file", "a certificate needs its key"),
            ("server.tls.key_file", "server.tls.cert_file", "a key needs its certificate"),
            ("server.tls.client_ca_file", "server.tls.cert_file", "without a certificate the server has no TLS"),
            ("server.tls.client_auth", "server.tls.client_ca_file", "clients' certificates need an authority"),
            ("server.tls.client_names", "server.tls.client_ca_file", "clients' certificates need an authority"),
        ]
        for (key, other, why) in needs where merge.isSet(key) && !merge.isSet(other) {
            merge.add(.missing, key: key, "\(why): set \(other)")
        }
    }
}

/// Two durations of which one must not exceed the other.
private struct OrderRule: Sendable {
    enum Order: String {
        case atMost = "at most"
        case lessThan = "less than"
    }

    let left: String
    let order: Order
    let right: String
    let leftValue: any KeyPath<ExporterSettings, Duration> & Sendable
    let rightValue: any KeyPath<ExporterSettings, Duration> & Sendable
    var why = ""

    static let all = [
        OrderRule(
            left: "server.header_timeout",
            order: .atMost,
            right: "server.read_timeout",
            leftValue: \.server.headerTimeout,
            rightValue: \.server.readTimeout
        ),
        OrderRule(
            left: "server.body_timeout",
            order: .atMost,
            right: "server.read_timeout",
            leftValue: \.server.bodyTimeout,
            rightValue: \.server.readTimeout
        ),
        OrderRule(
            left: "winpower.api_timeout",
            order: .atMost,
            right: "winpower.timeout",
            leftValue: \.winpower.apiTimeout,
            rightValue: \.winpower.timeout
        ),
        OrderRule(
            left: "winpower.refresh_threshold",
            order: .lessThan,
            right: "winpower.token_lifetime",
            leftValue: \.winpower.refreshThreshold,
            rightValue: \.winpower.tokenLifetime
        ),
        OrderRule(
            left: "scheduler.collection_interval",
            order: .atMost,
            right: "energy.max_gap",
            leftValue: \.scheduler.collectionInterval,
            rightValue: \.energy.maxGap,
            why: "; with longer pauses between readings no energy would ever be counted"
        ),
        OrderRule(
            left: "scheduler.collection_interval",
            order: .atMost,
            right: "metrics.stale_after",
            leftValue: \.scheduler.collectionInterval,
            rightValue: \.metrics.staleAfter,
            why: "; otherwise readings are withheld before the next ones come"
        ),
    ]

    func check(_ merge: inout SettingsMerge) {
        guard merge.areSound(left, right) else { return }
        let (lower, upper) = (merge.settings[keyPath: leftValue], merge.settings[keyPath: rightValue])
        guard order == .atMost ? lower > upper : lower >= upper else { return }
        // The fault belongs to what somebody wrote, not to a default.
        let (key, other) = merge.isSet(left) ? (left, right) : (right, left)
        let origin = merge.origin(of: other)
        let place = origin == .standard ? "\(other) has its default" : "\(other) is set by \(origin)"
        let values = (DurationText.format(lower), DurationText.format(upper))
        let relation = "\(left) (\(values.0)) must be \(order.rawValue) \(right) (\(values.1))"
        merge.add(.conflict, key: key, "\(relation); \(place)\(why)")
    }
}
