// SPDX-License-Identifier: MIT

import WPCommandLine

/// A constraint between a setting and others, declared in the row of the setting.
public struct SettingRule<Settings: Sendable>: Sendable {
    enum Kind: Sendable {
        case needs([SettingPath<Settings>], why: String)
        case excludes([SettingPath<Settings>])
        case order(Order)
    }

    /// A constraint that one duration must not exceed another, or a multiple of it.
    struct Order: Sendable {
        let other: any KeyPath<Settings, Duration> & Sendable
        let relation: Relation
        let why: String

        enum Relation: Sendable {
            case atMost, lessThan
            case atLeast(times: Int)
        }
    }

    let kind: Kind

    /// If it is set, one of the others must be set too.
    /// - Parameters:
    ///   - others: the others; the fault suggests the first.
    ///   - why: the reason: `a certificate needs its key`.
    public static func needs(_ others: SettingPath<Settings>..., why: String) -> Self {
        Self(kind: .needs(others, why: why))
    }

    /// If it is set, none of the others may be set.
    public static func excludes(_ others: SettingPath<Settings>...) -> Self {
        Self(kind: .excludes(others))
    }

    /// Its duration is at most that of another setting.
    public static func atMost(_ other: any KeyPath<Settings, Duration> & Sendable, why: String = "") -> Self {
        Self(kind: .order(Order(other: other, relation: .atMost, why: why)))
    }

    /// Its duration is less than that of another setting.
    public static func lessThan(_ other: any KeyPath<Settings, Duration> & Sendable, why: String = "") -> Self {
        Self(kind: .order(Order(other: other, relation: .lessThan, why: why)))
    }

    /// Its duration is at least a multiple of that of another setting.
    /// - Parameters:
    ///   - times: the factor, from 1.
    ///   - other: the other setting.
    ///   - why: what happens otherwise, to end the message.
    public static func atLeast(
        _ times: Int,
        times other: any KeyPath<Settings, Duration> & Sendable,
        why: String = ""
    ) -> Self {
        Self(kind: .order(Order(other: other, relation: .atLeast(times: times), why: why)))
    }
}

/// Checks the rules between settings, once all layers have been read.
struct SettingChecks<Settings: Sendable> {
    let table: SettingTable<Settings>
    let requiresAll: Bool

    func check(_ merge: inout SettingsMerge<Settings>) {
        for setting in table.all where merge.isSet(setting.key) { checkExclusions(of: setting, &merge) }
        // The setting may be missing only because part of the file could not be read.
        guard merge.isFileComplete else { return }
        if requiresAll {
            for setting in table.all where setting.isRequired && !merge.isSet(setting.key) { require(setting, &merge) }
        }
        for setting in table.all where merge.isSet(setting.key) && !merge.isRejected(setting.key) {
            for case .needs(let keyPaths, let why) in setting.rules.map(\.kind) {
                check(setting, needs: keyPaths, why, &merge)
            }
        }
        for setting in table.all {
            for case .order(let order) in setting.rules.map(\.kind) { check(setting, order, &merge) }
        }
    }

    private func require(_ setting: Setting<Settings>, _ merge: inout SettingsMerge<Settings>) {
        let file = table.file(of: setting)
        if let file, merge.isSet(file.key) { return }
        var ways = "it is required: set \(setting.key) in the file, \(setting.variable), or \(setting.flag)"
        if let file { ways += "; or name a file with \(file.key)" }
        let empty = merge.emptyVariables[setting.key] ?? file.flatMap { merge.emptyVariables[$0.key] }
        merge.add(.missing, key: setting.key, ways + (empty.map { " (\($0) is set but empty)" } ?? ""))
    }

    private func checkExclusions(of setting: Setting<Settings>, _ merge: inout SettingsMerge<Settings>) {
        var keyPaths: [SettingPath<Settings>] = []
        for case .excludes(let others) in setting.rules.map(\.kind) { keyPaths += others }
        if case .secret(let keyPath)? = setting.file?.content { keyPaths.append(keyPath) }
        guard let other = keyPaths.lazy.map({ table[$0] }).first(where: { merge.isSet($0.key) }) else { return }
        merge.addConflict(
            setting.key,
            "\(other.key) is set too (\(merge.origin(of: other.key))); only one of them may be set"
        )
    }

    private func check(
        _ setting: Setting<Settings>,
        needs keyPaths: [SettingPath<Settings>],
        _ why: String,
        _ merge: inout SettingsMerge<Settings>
    ) {
        let others = keyPaths.map { table[$0] }
        guard !others.contains(where: { merge.isSet($0.key) }), let first = others.first else { return }
        let more = others.count > 1 ? " or another such setting" : ""
        merge.add(.missing, key: setting.key, "\(why): set \(first.key)\(more)")
    }

    private func check(
        _ setting: Setting<Settings>,
        _ order: SettingRule<Settings>.Order,
        _ merge: inout SettingsMerge<Settings>
    ) {
        guard let keyPath = setting.keyPath as? KeyPath<Settings, Duration> else { return }
        let reference = table[order.other]
        guard merge.isValid(setting.key), merge.isValid(reference.key) else { return }
        let (value, limit) = (merge.settings[keyPath: keyPath], merge.settings[keyPath: order.other])
        // The fault is reported for an explicit value, not a default; if both are explicit, for the one that must be
        // smaller.
        let isSatisfied: Bool
        let relation: String
        var (key, other) = (setting, reference)
        switch order.relation {
        case .atMost:
            (isSatisfied, relation) = (value <= limit, "at most \(reference.key)")
        case .lessThan:
            (isSatisfied, relation) = (value < limit, "less than \(reference.key)")
        case .atLeast(let times):
            (isSatisfied, relation) = (value >= limit * times, "at least \(times) × \(reference.key)")
            (key, other) = (reference, setting)
        }
        guard !isSatisfied else { return }
        if !merge.isSet(key.key) { (key, other) = (other, key) }
        let origin = merge.origin(of: other.key)
        let cause = origin == .standard ? "\(other.key) has its default" : "\(other.key) is set by \(origin)"
        let (own, others) = (DurationText.format(value), DurationText.format(limit))
        let why = order.why.isEmpty ? "" : "; \(order.why)"
        merge.add(.conflict, key: key.key, "\(setting.key) (\(own)) must be \(relation) (\(others)); \(cause)\(why)")
    }
}
