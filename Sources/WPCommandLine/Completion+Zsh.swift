// SPDX-License-Identifier: MIT

/// Completion for zsh, using `_arguments`.
struct ZshCompletion {
    private let program: ProgramSpec

    init(_ program: ProgramSpec) {
        self.program = program
    }

    private var function: String { "_" + program.name }

    var script: String {
        """
        #compdef \(program.name)
        # Completion of \(program.name) for zsh; made by `\(program.name) completion zsh`.

        \(function)() {
            local curcontext=$curcontext state line
            local -A opt_args
            _arguments -C \\
                '(- *)'{-h,--help}'[Show what the program does]' \\
                '(- *)--version[Show the version]' \\
                '1:command:\(function)_commands' \\
                '*::argument:->arguments'
            [[ $state == arguments ]] || return
            curcontext="${curcontext%:*:*}:\(program.name)-$words[1]:"
            case $words[1] in
        \(program.commands.map(caseOf).joined(separator: "\n"))
            esac
        }

        \(function)_commands() {
            local -a commands=(
        \(program.commands.map { "        \(quoted(escaped($0.name) + ":" + $0.summary))" }.joined(separator: "\n"))
            )
            _describe -t commands command commands
        }

        # In a directory of fpath this file is the function; a file that is sourced defines it.
        if [[ $funcstack[1] == \(function) ]]; then
            \(function) "$@"
        else
            compdef \(function) \(program.name)
        fi

        """
    }

    private func caseOf(_ command: CommandSpec) -> String {
        var specs = command.allOptions.flatMap(specs) + ["(- *)-h[Show this help]", "(- *)--help[Show this help]"]
        if let positionals = command.positionals {
            let words = program.words(of: positionals)
            specs.append("1:\(positionals.name):" + (words.isEmpty ? " " : "(\(words.joined(separator: " ")))"))
            if positionals.count.upperBound > 1 { specs.append("*:argument:_files") }
        }
        let lines = specs.map { "            " + quoted($0) }.joined(separator: " \\\n")
        return "    \(command.name))\n        _arguments -S \\\n\(lines)\n        ;;"
    }

    /// The specifications of an option; `!` marks those that are accepted but not offered.
    private func specs(_ option: CommandOption) -> [String] {
        let help = option.isListed ? "[\(bracketed(option.help))]" : ""
        let hidden = option.isListed ? "" : "!"
        let action = action(option)
        if option.argument == .boolean {
            let negated = "--no-" + option.name.dropFirst(2)
            let own =
                option.isListed
                ? ["(\(negated))\(option.name)\(help)", "(\(option.name))\(negated)[Not: \(bracketed(option.help))]"]
                : ["!\(option.name)", "!\(negated)"]
            return own + option.aliases.flatMap { ["!\($0)", "!--no-" + $0.dropFirst(2)] }
        }
        guard option.completion != .none else {
            return [hidden + option.name + help] + option.aliases.map { "!" + $0 }
        }
        let repeatable = option.isRepeatable ? "*" : ""
        return [hidden + repeatable + option.name + "=" + help + action] + option.aliases.map { "!\($0)=\(action)" }
    }

    private func action(_ option: CommandOption) -> String {
        let message = String(option.usage.split(separator: " ").last ?? "value").escaping([":", "|"]) { "\\\($0)" }
        return switch option.completion {
        case .none: ""
        case .free: ":\(message): "
        case .words(let words): ":value:(\(words.joined(separator: " ")))"
        case .file: ":\(message):_files"
        case .directory: ":\(message):_files -/"
        case .wordsOrFile(let words):
            ":\(message):_alternative 'words\\:word\\:(\(words.joined(separator: " ")))' 'files\\:file\\:_files'"
        }
    }

    private func bracketed(_ text: String) -> String {
        text.escaping(["[", "]", "\\", ":"]) { "\\\($0)" }
    }

    private func escaped(_ text: String) -> String {
        text.escaping([":", "\\"]) { "\\\($0)" }
    }

    private func quoted(_ text: String) -> String {
        "'" + text.escaping(["'"]) { _ in "'\\''" } + "'"
    }
}
