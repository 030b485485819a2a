// SPDX-License-Identifier: MIT

import WPCommandLine

/// Generates documents from the table.
extension SettingTable {
    /// A commented YAML file with all settings at their defaults. Settings without a default are commented out, except
    /// required ones, which have placeholders.
    /// - Parameter head: the lines of the leading comment.
    package func exampleFile(head: [String]) -> String {
        var lines = head.map { "# \($0)" }
        for section in sections {
            lines += ["", "# \(section.title).", "\(section.name):"]
            var group: [Substring] = [Substring(section.name)]
            for setting in section.settings {
                let parents = Array(setting.path.dropLast())
                if parents != group {
                    group = parents
                    lines += ["", String(repeating: "  ", count: parents.count - 1) + "\(parents[parents.count - 1]):"]
                }
                lines += Self.example(setting)
            }
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func example(_ setting: Setting<Settings>) -> [String] {
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

    /// The reference in Markdown: one table per section.
    package func markdown() -> String {
        sections.map { section in
            let rows = section.settings.map(Self.row).joined(separator: "\n")
            return """
                ### `\(section.name)`: \(section.title.prefix(1).lowercased())\(section.title.dropFirst())

                | key | flag | environment | value | default | meaning |
                |---|---|---|---|---|---|
                \(rows)
                """
        }.joined(separator: "\n\n") + "\n"
    }

    private static func row(_ setting: Setting<Settings>) -> String {
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
