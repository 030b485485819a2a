// SPDX-License-Identifier: MIT

public import WPCommandLine

/// Generates command line options from the table: one per setting.
extension SettingTable {
    /// An option for each setting, under the headings of the sections.
    public var options: SharedOptions { options { _ in true } }

    /// An option for each setting, of which help lists only some.
    /// - Parameters:
    ///   - names: the names of the listed sections.
    ///   - rest: a sentence that says where the other settings are listed.
    package func options(showing names: Set<String>, rest: String) -> SharedOptions {
        options(rest: rest) { names.contains($0.name) }
    }

    /// An option for each setting of one section.
    package func options(of name: String) -> SharedOptions {
        shared(sections.filter { $0.name == name }.flatMap { options(of: $0, isListed: true) })
    }

    private func options(rest: String? = nil, isListed: (SettingSection<Settings>) -> Bool) -> SharedOptions {
        shared(sections.flatMap { options(of: $0, isListed: isListed($0)) }, rest: rest)
    }

    private func shared(_ options: [CommandOption], rest: String? = nil) -> SharedOptions {
        let listed = options.filter(\.isListed).compactMap { $0.key.flatMap(setting) }
        let example = Self.example(listed)
        let footnote = example.map { example in
            "Each setting also has the flag of its key in the file, such as \(example.flags.last ?? example.flag) for "
                + "\(example.key), and an environment variable, such as \(example.variable)."
                + (rest.map { " \($0)" } ?? "")
        }
        let full = Self.example(all)?.flags.last ?? "--section.key"
        return SharedOptions(
            chapter,
            introduction: "A setting is a flag, an environment variable, or a key of the YAML file; flags override "
                + "environment variables, and these override the file. "
                + "Every flag can also be written as its key with dashes, such as \(full).",
            options: options,
            footnote: footnote
        )
    }

    /// A setting that illustrates how a key, its flag and its variable relate.
    private static func example(_ settings: [Setting<Settings>]) -> Setting<Settings>? {
        settings.first { $0.key.contains("_") } ?? settings.first
    }

    private func options(of section: SettingSection<Settings>, isListed: Bool) -> [CommandOption] {
        section.settings.map { setting in
            let warning =
                setting.isSecret
                ? "; other accounts can see it in the process list"
                    + (file(of: setting).map { ", so prefer \($0.flag)" } ?? "") : ""
            return CommandOption(
                setting.flag,
                aliases: Array(setting.flags.dropFirst()),
                setting.type.argument,
                help: setting.help + warning,
                defaultText: setting.defaultDescription,
                group: section.title,
                isSecret: setting.isSecret,
                key: setting.key,
                reference: "Key \(setting.key), variable \(setting.variable).",
                isListed: isListed
            )
        }
    }
}

extension ParsedOptions {
    /// The options that set settings, for ``SettingsLoader``.
    public var settingFlags: [ParsedFlag] {
        keyed.map { ParsedFlag($0.spelling, key: $0.key, value: $0.value) }
    }
}
