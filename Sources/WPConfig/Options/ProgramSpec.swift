// SPDX-License-Identifier: MIT

/// A program with commands.
public struct ProgramSpec: Sendable, Hashable {
    /// The name of the program.
    public let name: String
    /// What it does: a sentence without a full stop.
    public let summary: String
    /// Its commands.
    public let commands: [CommandSpec]

    /// Creates a description of a program.
    public init(_ name: String, summary: String, commands: [CommandSpec]) {
        self.name = name
        self.summary = summary
        self.commands = commands
    }

    /// The help of the program.
    public func help(width: Int = 80) -> String {
        let rows = commands.map { (term: $0.name, text: $0.summary) }
        return """
            Usage: \(name) COMMAND [options]

            \(TextLayout.wrap(summary + ".", width: width).joined(separator: "\n"))

            Commands:
            \(TextLayout.columns(rows, width: width).joined(separator: "\n"))

            `\(name) COMMAND --help` shows the options of a command.

            """
    }

    /// The command of a name.
    /// - Throws: ``OptionFault`` with the nearest name when there is none.
    public func command(_ name: String) throws(OptionFault) -> CommandSpec {
        if let command = commands.first(where: { $0.name == name }) { return command }
        let nearest = NearestName.find(name, in: commands.map(\.name))
        let question = nearest.map { "did you mean \($0)?" } ?? "--help lists them"
        throw OptionFault(.unknownCommand, "there is no command \(Quoted.text(name)); \(question)")
    }
}
