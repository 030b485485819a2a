// SPDX-License-Identifier: MIT

/// A manual page in mdoc(7), generated from the same specification as help.
public struct ManualPage: Sendable {
    private let program: ProgramSpec
    private let date: String
    private let version: String
    private let environmentNote: String?
    private let environment: [(name: String, text: String)]
    private let files: [(name: String, text: String)]

    /// Creates a page.
    /// - Parameters:
    ///   - program: the program.
    ///   - date: the date of the last change, such as `November 22, 2026`.
    ///   - version: the version of the program.
    ///   - environmentNote: the introduction of the section on environment variables.
    ///   - environment: environment variables without an equivalent option.
    ///   - files: the files that the program reads and writes.
    public init(
        _ program: ProgramSpec,
        date: String,
        version: String,
        environmentNote: String? = nil,
        environment: [(name: String, text: String)] = [],
        files: [(name: String, text: String)] = []
    ) {
        self.program = program
        self.date = date
        self.version = version
        self.environmentNote = environmentNote
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
        page.text(program.summary + ". The command determines what it does.")
        page.text("The value of an option is the next argument or follows an equals sign. Two dashes end the options.")
        page.section("COMMANDS")
        for command in program.commands { write(command, to: &page) }
        for group in shared { write(group, to: &page) }
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
        let own = command.options
        if !own.isEmpty {
            page.paragraph("Options:")
            page.list(own.map { (term($0), $0.explanation + ".") })
        }
        if let shared = command.shared { page.paragraph("It also accepts the options listed under \(shared.title).") }
    }

    private func term(_ option: CommandOption) -> [String] {
        let words = option.usage.split(separator: " ", maxSplits: 1).map(String.init)
        return ["Fl", String(words[0].dropFirst())] + (words.count > 1 ? ["Ar", words[1]] : [])
    }

    private func write(_ shared: SharedOptions, to page: inout ManualText) {
        page.section(shared.title)
        page.text(shared.introduction)
        var groups: [String] = []
        for case let group? in shared.options.map(\.group) where !groups.contains(group) { groups.append(group) }
        for group in groups {
            page.subsection(group)
            page.list(
                shared.options.filter { $0.group == group }.map { option in
                    (term(option), option.explanation + "." + (option.reference.map { " " + $0 } ?? ""))
                }
            )
        }
    }

    /// The shared groups of options, each in its most complete version.
    private var shared: [SharedOptions] {
        var found: [SharedOptions] = []
        for group in program.commands.compactMap(\.shared) {
            if let index = found.firstIndex(where: { $0.title == group.title }) {
                if found[index].options.count < group.options.count { found[index] = group }
            } else {
                found.append(group)
            }
        }
        return found
    }

    private func writeEnvironment(to page: inout ManualText) {
        guard !environment.isEmpty || environmentNote != nil else { return }
        page.section("ENVIRONMENT")
        if let environmentNote { page.text(environmentNote) }
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
