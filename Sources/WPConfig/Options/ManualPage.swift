// SPDX-License-Identifier: MIT

/// A manual page in mdoc(7), of the same tables as help.
public struct ManualPage: Sendable {
    private let program: ProgramSpec
    private let date: String
    private let version: String
    private let environment: [(name: String, text: String)]
    private let files: [(name: String, text: String)]

    /// Creates a page.
    /// - Parameters:
    ///   - program: what the page is about.
    ///   - date: when what it says was last changed, such as `November 22, 2026`.
    ///   - version: the version of the program.
    ///   - environment: the variables that are no settings.
    ///   - files: the files that are read and written.
    public init(
        _ program: ProgramSpec,
        date: String,
        version: String,
        environment: [(name: String, text: String)] = [],
        files: [(name: String, text: String)] = []
    ) {
        self.program = program
        self.date = date
        self.version = version
        self.environment = environment
        self.files = files
    }

    /// The page's source.
    public var source: String {
        var page = ManualText()
        page.macro("Dd", date)
        page.macro("Dt", program.name.uppercased(), "1")
        page.macro("Os", "\(program.name) \(version)")
        page.section("NAME")
        page.macro("Nm", program.name)
        page.macro("Nd", program.summary.prefix(1).lowercased() + program.summary.dropFirst())
        page.section("SYNOPSIS")
        page.macro("Nm")
        page.raw(".Ar command")
        page.raw(".Op Ar options")
        page.section("DESCRIPTION")
        page.text(program.summary + ". What it does is up to its command.")
        page.text("An option is followed by its value, apart or after an equals sign. Two dashes end the options.")
        page.section("COMMANDS")
        for command in program.commands { write(command, to: &page) }
        writeSettings(to: &page)
        writeEnvironment(to: &page)
        if !files.isEmpty {
            page.section("FILES")
            page.list(files.map { (["Pa", $0.name], $0.text) })
        }
        writeStatuses(to: &page)
        page.section("EXAMPLES")
        for example in program.commands.flatMap(\.examples) {
            page.text(example.text + (example.text.hasSuffix("?") ? "" : ":"))
            page.literal(TextLayout.wrapCommand(example.command, width: 72))
        }
        return page.source
    }

    private func write(_ command: CommandSpec, to page: inout ManualText) {
        page.subsection(command.name)
        page.macro("Nm")
        page.macro("Cm", command.name)
        page.raw(".Op Ar options")
        if let positionals = command.positionals {
            let more = positionals.count.upperBound > 1 ? " ..." : ""
            page.raw((positionals.count.lowerBound == 0 ? ".Op Ar " : ".Ar ") + positionals.name + more)
        }
        page.raw(".Pp")
        page.text(command.summary + ".")
        for paragraph in command.discussion { page.paragraph(paragraph) }
        for list in command.lists {
            page.paragraph(list.heading + ":")
            page.list(list.terms.map { (["Cm", $0.name], $0.text + ".") })
        }
        let own = command.options.filter { $0.settingKey == nil }
        if !own.isEmpty {
            page.paragraph("Options:")
            page.list(own.map { (term($0), $0.explanation + ".") })
        }
        let sections = command.options.filter(\.isListed).compactMap(\.group)
        guard !sections.isEmpty else { return }
        page.paragraph("It takes the settings below.")
    }

    private func term(_ option: CommandOption) -> [String] {
        let words = option.usage.split(separator: " ", maxSplits: 1).map(String.init)
        return ["Fl", String(words[0].dropFirst())] + (words.count > 1 ? ["Ar", words[1]] : [])
    }

    private func writeSettings(to page: inout ManualText) {
        page.section("SETTINGS")
        page.text(
            "A setting is a flag, an environment variable, or a key of the YAML file; the first that is there counts. "
                + "Every flag can also be written as the key with dashes, such as --server.read-timeout."
        )
        for section in SettingTable.sections {
            page.subsection(section.title)
            let options = SettingTable.options.filter { $0.group == section.title }
            page.list(
                zip(section.settings, options).map { setting, option in
                    (term(option), "\(option.explanation). Key \(setting.key), variable \(setting.variable).")
                }
            )
        }
    }

    private func writeEnvironment(to page: inout ManualText) {
        page.section("ENVIRONMENT")
        page.text("Variables that begin with \(SettingTable.prefix) are settings; see above.")
        guard !environment.isEmpty else { return }
        page.list(environment.map { (["Ev", $0.name], $0.text) })
    }

    private func writeStatuses(to page: inout ManualText) {
        page.section("EXIT STATUS")
        for command in program.commands where !command.exitStatuses.isEmpty {
            page.paragraph("\(command.name):")
            page.list(command.exitStatuses.map { (["Li", String($0.code)], $0.meaning + ".") })
        }
    }
}
