// SPDX-License-Identifier: MIT

public import WPCommandLine

/// The link between settings and the command line: each setting is an option too.
extension SettingTable {
    /// An option for each setting, under the headings of the sections.
    public static let options = options { _ in true }

    /// An option for each setting, of which help shows only some.
    /// - Parameter names: the names of the sections that are shown.
    public static func options(showing names: Set<String>) -> SharedOptions {
        options { names.contains($0.name) }
    }

    /// An option for each setting of one section.
    public static func options(of name: String) -> SharedOptions {
        shared(sections.filter { $0.name == name }.flatMap { options(of: $0, isListed: true) })
    }

    private static func options(isListed: (Section) -> Bool) -> SharedOptions {
        shared(sections.flatMap { section in options(of: section, isListed: isListed(section)) })
    }

    private static func shared(_ options: [CommandOption]) -> SharedOptions {
        SharedOptions("SETTINGS", introduction: introduction, options: options, footnote: footnote(options))
    }

    private static let introduction =
        "A setting is a flag, an environment variable, or a key of the YAML file; the first that is there counts. "
        + "Every flag can also be written as the key with dashes, such as --server.read-timeout."

    /// How the options of settings relate to keys and variables.
    private static func footnote(_ options: [CommandOption]) -> String? {
        let settings = options.filter(\.isListed).compactMap { $0.key.flatMap(setting) }
        // One that shows how a key, its flag and its variable differ.
        guard let example = settings.first(where: { $0.key == "server.read_timeout" }) ?? settings.last else {
            return nil
        }
        let rest =
            options.contains { !$0.isListed }
            ? " The settings that are not shown here are understood too; `server --help` shows them all." : ""
        return
            "Each setting also has the flag of its key in the file, such as \(example.flags.last ?? example.flag) for "
            + "\(example.key), and an environment variable, such as \(example.variable).\(rest)"
    }

    private static func options(of section: Section, isListed: Bool) -> [CommandOption] {
        section.settings.map { setting in
            let warning =
                setting.isSecret
                ? "; other accounts can see it in the process list, so better use \(setting.flag)-file" : ""
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

extension SettingType {
    fileprivate var argument: CommandOption.Argument {
        switch self {
        case .boolean: .boolean
        case .choice(let words): .choice(words)
        default: .value(placeholder)
        }
    }
}

extension ParsedOptions {
    /// The options that set settings, for ``SettingsLoader``.
    public var settingFlags: [ParsedFlag] {
        keyed.map { ParsedFlag($0.spelling, key: $0.key, value: $0.value) }
    }
}
