// SPDX-License-Identifier: MIT

package import WPCommandLine
import WPSettings
import WPTerminal

/// All commands of a program, with common help and error reporting.
package struct CommandSet: Sendable {
    let program: ProgramDescription
    /// The default command; nil if a command is required.
    let main: CommandEntry?
    let commands: [CommandEntry]
    /// Additional text of the manual. A function, because creating it needs the settings tables of all commands.
    let manual: @Sendable () -> Manual

    /// The text of the manual besides the commands.
    package struct Manual: Sendable {
        /// The date of the last change, in the format of mdoc(7).
        package var date: String
        package var environmentNote: String?
        package var environment: [(name: String, text: String)]
        package var files: [(name: String, text: String)]

        package init(
            date: String,
            environmentNote: String? = nil,
            environment: [(name: String, text: String)] = [],
            files: [(name: String, text: String)] = []
        ) {
            (self.date, self.environmentNote, self.environment, self.files) = (
                date, environmentNote, environment, files
            )
        }
    }

    /// - Parameter commands: the program's own commands; `completion`, `man`, `help` and `version` are added.
    package init(
        _ program: ProgramDescription,
        main: CommandEntry? = nil,
        _ commands: [CommandEntry],
        manual: @escaping @autoclosure @Sendable () -> Manual
    ) {
        self.program = program
        self.main = main
        self.commands = commands
        self.manual = manual
    }

    private var all: [CommandEntry] {
        (main.map { [$0] } ?? []) + commands + [completion, man, help, version]
    }

    /// The program with all its commands.
    package var spec: ProgramSpec {
        ProgramSpec(program.name, summary: program.summary, commands: all.map { $0.spec() })
    }

    /// Runs the command that the arguments name, and reports its errors.
    package func run(_ arguments: [String]) async -> ExitStatus {
        do {
            switch arguments.first {
            case "-h", "--help": return try showHelp()
            case "--version": return try showVersion(.text)
            case let name? where main == nil || !name.hasPrefix("-"):
                return try await run(try command(named: name), Array(arguments.dropFirst()))
            default:
                if let main { return try await run(main, arguments) }
                Console.error(spec.help(width: Console.errorWidth))
                return .usage
            }
        } catch let fault as OptionFault {
            Console.error("\(program.name): \(fault)\n")
            return .usage
        } catch let faults as SettingsFaults {
            for fault in faults.faults { Console.error("\(program.name): \(fault)\n") }
            return .usage
        } catch let error as OutputError where error.isReaderGone {
            return .success
        } catch {
            Console.error("\(program.name): \(error)\n")
            return .failure
        }
    }

    private func run(_ command: CommandEntry, _ arguments: [String]) async throws -> ExitStatus {
        let options = try OptionParser(command.spec()).parse(arguments)
        guard options.wantsHelp else { return try await command.run(options) }
        try Console.output(command.spec().help(program: program.name, width: Console.outputWidth))
        return .success
    }

    private func command(named name: String) throws -> CommandEntry {
        for command in all where command.name == name { return command }
        // Its error suggests similar names.
        _ = try spec.command(name)
        throw OptionFault(.unknownCommand, "there is no command \(name)")
    }

    /// The help of the program, or of its main command if it has one, with a list of the other commands.
    private func showHelp() throws -> ExitStatus {
        let width = Console.outputWidth
        guard let main else {
            try Console.output(spec.help(width: width))
            return .success
        }
        let others = CommandSpec.TermList(
            "Commands",
            all.dropFirst().map { command in (command.name, command.spec().summaryText) }
        )
        try Console.output(main.spec().unnamed(with: [others]).help(program: program.name, width: width))
        return .success
    }

    private func showVersion(_ format: FormatOption) throws -> ExitStatus {
        let report = VersionReport(program)
        try Console.output(try format == .json ? report.json : report.text)
        return .success
    }

    // MARK: Commands of every program

    private var help: CommandEntry {
        CommandEntry("help") {
            CommandSpec(
                "help",
                group: CommandGroup.help,
                summary: "Shows what the program or one of its commands does",
                positionals: .init("COMMAND", count: 0...1, namesCommand: true),
                examples: [
                    .init("\(program.name) help \(all[0].name)", "The options of the command \(all[0].name)")
                ],
                exitStatuses: [
                    .init(0, "it was printed"), .init(1, "the output cannot be written"),
                    .init(2, "there is no such command"),
                ]
            )
        } _: { options in
            guard let name = options.positionals.first else { return try showHelp() }
            let command = try spec.command(name)
            try Console.output(command.help(program: program.name, width: Console.outputWidth))
            return .success
        }
    }

    private var completion: CommandEntry {
        CommandEntry("completion") {
            let name = program.name
            return CommandSpec(
                "completion",
                group: CommandGroup.setUp,
                summary: "Prints a script for shell completion of commands, options and values",
                discussion: ["Save the output where the shell looks for it; the examples show where."],
                positionals: .init("SHELL", count: 1...1, words: CompletionShell.allCases.map(\.rawValue)),
                examples: [
                    .init(
                        "\(name) completion bash > ~/.local/share/bash-completion/completions/\(name)",
                        "bash with the package bash-completion"
                    ),
                    .init("\(name) completion zsh > ~/.zfunc/_\(name)", "zsh with ~/.zfunc in its fpath"),
                    .init("\(name) completion fish > ~/.config/fish/completions/\(name).fish", "fish"),
                ],
                exitStatuses: [
                    .init(0, "the script was printed"), .init(1, "the output cannot be written"),
                    .init(2, "there is no such shell"),
                ]
            )
        } _: { options in
            guard let shell = options.positionals.first.flatMap(CompletionShell.init) else {
                let names = CompletionShell.allCases.map(\.rawValue).joined(separator: ", ")
                throw OptionFault(.invalidValue, "unknown shell; the shells are \(names)")
            }
            try Console.output(spec.completion(for: shell))
            return .success
        }
    }

    private var man: CommandEntry {
        CommandEntry("man") {
            let name = program.name
            return CommandSpec(
                "man",
                group: CommandGroup.setUp,
                summary: "Prints the manual page",
                examples: [
                    .init("\(name) man > /usr/local/share/man/man1/\(name).1", "Install it"),
                    .init("\(name) man | man -l -", "Read it"),
                ],
                exitStatuses: [.init(0, "it was printed"), .init(1, "the output cannot be written")]
            )
        } _: { _ in
            let manual = manual()
            let page = ManualPage(
                spec,
                date: manual.date,
                version: program.version,
                environmentNote: manual.environmentNote,
                environment: manual.environment,
                files: manual.files
            )
            try Console.output(page.source)
            return .success
        }
    }

    private var version: CommandEntry {
        CommandEntry("version") {
            CommandSpec(
                "version",
                group: CommandGroup.help,
                summary: "Shows the version",
                options: [FormatOption.option],
                exitStatuses: [.init(0, "it was printed"), .init(1, "the output cannot be written")]
            )
        } _: { options in
            try showVersion(FormatOption.value(options))
        }
    }
}
