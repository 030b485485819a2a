// SPDX-License-Identifier: MIT

import WPCommandLine
import WPYAML

/// Reads settings from a YAML document. Environment variables are substituted only in scalar values, after parsing, so
/// that they cannot change the structure.
struct YAMLSettingsLayer<Settings: Sendable> {
    let table: SettingTable<Settings>
    let path: String
    let environment: [String: String]

    func read(_ root: YAMLNode, into merge: inout SettingsMerge<Settings>) {
        switch root.content {
        case .mapping(let entries):
            read(entries, below: "", into: &merge)
        case .scalar(let scalar) where scalar.isNull:
            return
        case .scalar, .sequence:
            merge.faults.append(
                SettingsFault(.malformedFile, location(root), "found \(Self.kind(root)), expected a map of sections")
            )
        }
    }

    private func read(_ entries: [YAMLEntry], below section: String, into merge: inout SettingsMerge<Settings>) {
        for entry in entries {
            let key = section.isEmpty ? entry.key : "\(section).\(entry.key)"
            if section.isEmpty, table.foreign.keys.contains(entry.key) { continue }
            // A dotted key would set the same setting as its nested form, and the two could contradict each other.
            if entry.key.contains(".") {
                addUnknown(entry, below: section, to: &merge)
            } else if let setting = table.setting(key) {
                read(entry.value, setting, into: &merge)
            } else if table.ignored.contains(key) {
                continue
            } else if table.isSection(key) || table.isIgnoredSection(key) {
                readSection(entry.value, key, into: &merge)
            } else {
                addUnknown(entry, below: section, to: &merge)
            }
        }
    }

    private func readSection(_ node: YAMLNode, _ key: String, into merge: inout SettingsMerge<Settings>) {
        switch node.content {
        case .mapping(let entries):
            read(entries, below: key, into: &merge)
        case .scalar(let scalar) where scalar.isNull:
            return
        case .scalar, .sequence:
            let message = "found \(Self.kind(node)), expected the settings of this section as a map"
            merge.faults.append(SettingsFault(.invalidValue, location(node), key: key, message))
        }
    }

    private func read(_ node: YAMLNode, _ setting: Setting<Settings>, into merge: inout SettingsMerge<Settings>) {
        guard case .scalar(let scalar) = node.content else {
            let message = "found \(Self.kind(node)), expected \(setting.type.expectation)"
            merge.add(.invalidValue, location(node), setting, message)
            return
        }
        guard !scalar.isNull, !scalar.text.isEmpty else {
            guard setting.rejectsEmpty else { return }
            merge.addEmpty(location(node), setting, remove: "the key")
            return
        }
        if let tag = scalar.localTag {
            let message =
                "found the tag \(tag), which a setting cannot have: write ${NAME} for a variable, "
                + "or name a file with a setting such as bearer_token_file"
            merge.add(.invalidValue, location(node), setting, message)
            return
        }
        let value: VariableText
        do throws(VariableText.Malformed) {
            value = try VariableText(scalar.text, environment: environment)
        } catch {
            merge.add(.invalidValue, location(node), setting, error.description)
            return
        }
        if scalar.style != .plain, setting.type.rejectsQuotes, value.variables.isEmpty {
            let message = "found a quoted string, expected \(setting.type.expectation), without quotes"
            merge.add(.invalidValue, location(node), setting, message)
            return
        }
        guard !value.variables.isEmpty else {
            set(setting, to: value, from: location(node), into: &merge)
            return
        }
        let origin = SettingOrigin.substitution(path: path, position: node.position, variables: value.variables)
        guard !value.text.isEmpty else {
            guard !setting.rejectsEmpty else {
                merge.addEmpty(origin, setting, remove: "the key")
                return
            }
            merge.warnings.append("\(origin): \(setting.key): the value is empty, so the setting counts as not set")
            return
        }
        set(setting, to: value, from: origin, into: &merge)
    }

    private func set(
        _ setting: Setting<Settings>,
        to value: VariableText,
        from origin: SettingOrigin,
        into merge: inout SettingsMerge<Settings>
    ) {
        // A variable may contain a secret assigned to the wrong setting.
        merge.set(setting, to: value.text, from: origin, isShowable: value.variables.isEmpty)
        let isSecret = setting.isSecret || (setting.type.mayHoldCredentials && value.text.contains("@"))
        if isSecret && value.hasLiteral { merge.secretsInFile.append(setting.key) }
    }

    private func location(_ node: YAMLNode) -> SettingOrigin {
        .file(path: path, position: node.position)
    }

    private func addUnknown(_ entry: YAMLEntry, below section: String, to merge: inout SettingsMerge<Settings>) {
        let location = section.isEmpty ? "at the top level" : "in \(section)"
        var message = "there is no setting \(Quoted.text(entry.key)) \(location)"
        if let nearest = nearest(to: entry.key, below: section) {
            message +=
                nearest == entry.key ? "; use nested keys instead of dots" : "; did you mean \(nearest)?"
        }
        merge.faults.append(SettingsFault(.unknownKey, .file(path: path, position: entry.keyPosition), message))
    }

    /// The most likely intended key: the one whose flag has this name, a sibling with similar spelling, one with the
    /// same name elsewhere, or one with similar spelling overall.
    private func nearest(to name: String, below section: String) -> String? {
        let prefix = section.isEmpty ? "" : section + "."
        let flag = "--\(prefix)\(name)"
        if let setting = table.all.first(where: { $0.flags.contains(flag) }) { return setting.key }
        let known = table.all.map(\.key) + table.sectionKeys + table.foreign.keys.sorted()
        let siblings = known.filter { $0.hasPrefix(prefix) && !$0.dropFirst(prefix.count).contains(".") }
        if let sibling = NearestName.find(name, in: siblings.map { String($0.dropFirst(prefix.count)) }) {
            return prefix + sibling
        }
        return known.first { $0.hasSuffix("." + name) } ?? NearestName.find(prefix + name, in: known)
    }

    private static func kind(_ node: YAMLNode) -> String {
        switch node.content {
        case .scalar: "a single value"
        case .sequence: "a list"
        case .mapping: "a map"
        }
    }
}
