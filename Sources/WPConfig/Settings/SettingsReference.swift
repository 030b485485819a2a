// SPDX-License-Identifier: MIT

import WPCommandLine

/// The setting table as documents.
public enum SettingsReference {
    /// A commented YAML file with all settings at their defaults. Settings without a default are commented out, except
    /// for those that are required, which have placeholders.
    public static func exampleFile() -> String {
        var lines = [
            "# The configuration of winpower-exporter: all settings, at their defaults.",
            "# Flags override environment variables, which override this file. docs/configuration.md has the details.",
        ]
        for section in SettingTable.sections {
            lines += ["", "# \(section.title).", "\(section.name):"]
            var group: [Substring] = [Substring(section.name)]
            for setting in section.settings {
                let parents = Array(setting.path.dropLast())
                if parents != group {
                    group = parents
                    lines += ["", String(repeating: "  ", count: parents.count - 1) + "\(parents[parents.count - 1]):"]
                }
                lines += example(setting)
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func example(_ setting: Setting) -> [String] {
        let indent = String(repeating: "  ", count: setting.path.count - 1)
        let note = setting.defaultNote.map { " Default: \($0)." } ?? ""
        let restart = setting.needsRestart ? " A change needs a restart." : ""
        let comments = TextLayout.wrap(setting.help + "." + note + restart, width: 100).map { "\(indent)# \($0)" }
        let name = setting.path[setting.path.count - 1]
        if setting.isRequired || (!setting.defaultText.isEmpty && setting.defaultNote == nil) {
            return comments + ["\(indent)\(name): \(setting.sample ?? setting.defaultText)"]
        }
        return comments + ["\(indent)# \(name): \(setting.sample ?? setting.defaultText)"]
    }

    /// The reference in Markdown: one table a section.
    public static func markdown() -> String {
        SettingTable.sections.map { section in
            let rows = section.settings.map(row).joined(separator: "\n")
            return """
                ### `\(section.name)`: \(section.title.prefix(1).lowercased())\(section.title.dropFirst())

                | key | flag | environment | value | default | meaning |
                |---|---|---|---|---|---|
                \(rows)
                """
        }.joined(separator: "\n\n") + "\n"
    }

    private static func row(_ setting: Setting) -> String {
        let cells = [
            "`\(setting.key)`",
            "`\(setting.flag)`",
            setting.environment.map { "`\($0)`" }.joined(separator: ", "),
            setting.type.summary,
            setting.defaultDescription ?? (setting.isRequired ? "required" : "none"),
            setting.help + (setting.needsRestart ? "; a change needs a restart" : ""),
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }
}

extension Setting {
    /// The default for people: how it comes about, or its text; nil when there is none.
    var defaultDescription: String? {
        defaultNote ?? (defaultText.isEmpty ? nil : defaultText)
    }
}
