// SPDX-License-Identifier: MIT

/// Completion for fish 3.0 or later.
struct FishCompletion {
    private let program: ProgramSpec

    init(_ program: ProgramSpec) {
        self.program = program
    }

    private var function: String { "__" + program.name.escaping(["-", "."]) { _ in "_" } + "_command" }

    var script: String {
        let start = """
            # Completion of \(program.name) for fish; made by `\(program.name) completion fish`.

            # Whether the command is one of these.
            function \(function)
                set -l words (commandline -opc)
                test (count $words) -ge 2; and contains -- $words[2] $argv
            end

            """
        let first = "test (count (commandline -opc)) -eq 1"
        let lines =
            [
                "complete -c \(program.name) -f", line(nil, "-s h -l help", help: "Show help"),
                line(first, "-l version", help: "Show the version"),
            ] + program.commands.map { line(first, "-a \($0.name)", help: $0.summary) }
            + program.commands.flatMap(arguments)
            + options
        return start + lines.joined(separator: "\n") + "\n"
    }

    /// One line per distinct option, for all commands that have it.
    private var options: [String] {
        var order: [CommandOption] = []
        var commands: [CommandOption: [String]] = [:]
        for command in program.commands {
            for option in command.allOptions {
                if commands[option] == nil { order.append(option) }
                commands[option, default: []].append(command.name)
            }
        }
        return order.flatMap { option in
            // Unlisted options are omitted: fish cannot accept an option without offering it.
            guard option.isListed else { return [String]() }
            let condition = "\(function) \((commands[option] ?? []).joined(separator: " "))"
            let names = option.offered.map { "-l \($0.dropFirst(2))" }
            return names.map { name in
                line(condition, [name, value(option.completion)].joined(separator: " "), help: option.help)
            }
        }
    }

    private func arguments(_ command: CommandSpec) -> [String] {
        guard let positionals = command.positionals else { return [] }
        let words = program.words(of: positionals).joined(separator: " ")
        let isCommand = "\(function) \(command.name)"
        var lines: [String] = []
        if !words.isEmpty {
            let isFirst = "\(isCommand); and not __fish_seen_subcommand_from \(words)"
            // `__fish_seen_subcommand_from` also matches the command itself.
            lines.append(line(positionals.namesCommand ? isCommand : isFirst, "-a '\(words)'", help: nil))
        }
        if positionals.count.upperBound > 1 {
            lines.append(line("\(isCommand); and __fish_seen_subcommand_from \(words)", "-F", help: nil))
        }
        return lines
    }

    private func value(_ value: CompletionValue) -> String {
        switch value {
        case .none: ""
        case .free: "-x"
        case .words(let words): "-x -a '\(words.joined(separator: " "))'"
        case .file: "-r -F"
        case .directory: "-x -a '(__fish_complete_directories)'"
        case .wordsOrFile(let words): "-r -F -a '\(words.joined(separator: " "))'"
        }
    }

    private func line(_ condition: String?, _ what: String, help: String?) -> String {
        var parts = ["complete -c \(program.name)"]
        if let condition { parts.append("-n '\(condition)'") }
        parts.append(what.last == " " ? String(what.dropLast()) : what)
        if let help { parts.append("-d '\(help.escaping(["'", "\\"]) { "\\\($0)" })'") }
        return parts.joined(separator: " ")
    }
}
