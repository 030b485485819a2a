// SPDX-License-Identifier: MIT

import WPCommandLine

/// `wpexporter help`
enum HelpCommand: Command {
    static let name = "help"
    static let spec = CommandSpec(
        name,
        group: CommandGroup.help,
        summary: "Shows what the program or one of its commands does",
        positionals: .init("COMMAND", count: 0...1, namesCommand: true),
        examples: [.init("wpexporter help server", "The flags of the exporter")],
        exitStatuses: [
            .init(0, "it was printed"), .init(1, "the output cannot be written"), .init(2, "there is no such command"),
        ]
    )

    static func run(_ options: ParsedOptions) async throws -> ExitStatus {
        let program = Program.spec
        let width = Console.outputWidth
        if let name = options.positionals.first {
            try Console.output(program.command(name).help(program: program.name, width: width))
        } else {
            try Console.output(program.help(width: width))
        }
        return .success
    }
}
