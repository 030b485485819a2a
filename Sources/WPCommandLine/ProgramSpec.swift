// SPDX-License-Identifier: MIT

/// A program with commands.
public struct ProgramSpec: Sendable, Hashable {
    /// The name of the program.
    package let name: String
    /// What it does: a phrase without a full stop.
    let summary: String
    /// Its commands.
    package let commands: [CommandSpec]

    /// Creates a description of a program.
    public init(_ name: String, summary: String, commands: [CommandSpec]) {
        self.name = name
        self.summary = summary
        self.commands = commands
    }

    /// The help of the program, with the commands under their group headings.
    public func help(width: Int = 80) -> String {
        let ordered = groups.flatMap(\.commands)
        var rows = TextLayout.columnBlocks(ordered.map { ($0.name, $0.summary) }, width: width)[...]
        var blocks = [["Usage: \(name) COMMAND [options]"], TextLayout.wrap(summary + ".", width: width)]
        for group in groups {
            blocks.append(["\(group.heading):"] + rows.prefix(group.commands.count).flatMap { $0 })
            rows = rows.dropFirst(group.commands.count)
        }
        blocks.append(TextLayout.wrap("`\(name) COMMAND --help` shows the options of a command.", width: width))
        return blocks.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
    }

    /// The commands by heading, in order of each heading's first occurrence.
    var groups: [(heading: String, commands: [CommandSpec])] {
        var headings: [String] = []
        for command in commands {
            let heading = command.group ?? "Commands"
            if !headings.contains(heading) { headings.append(heading) }
        }
        return headings.map { heading in (heading, commands.filter { ($0.group ?? "Commands") == heading }) }
    }

    /// The command with a name.
    /// - Throws: ``OptionFault`` with the nearest name if there is none.
    public func command(_ name: String) throws(OptionFault) -> CommandSpec {
        if let command = commands.first(where: { $0.name == name }) { return command }
        if name.hasPrefix("-") {
            // Omits what follows the equals sign, which may be the value of a secret option.
            let option = name.prefix { $0 != "=" }
            throw OptionFault(
                .unknownCommand,
                "\(Quoted.text(String(option.hasPrefix("--") ? option : option.prefix(2)))) comes before the command; "
                    + "options follow it: \(self.name) COMMAND [options]"
            )
        }
        let nearest = NearestName.find(name, in: commands.map(\.name))
        let question = nearest.map { "did you mean \($0)?" } ?? "--help lists them"
        throw OptionFault(.unknownCommand, "there is no command \(Quoted.text(name)); \(question)")
    }
}
