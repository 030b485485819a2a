// SPDX-License-Identifier: MIT

import WPCommandLine

/// `wpexporter completion`
enum CompletionCommand: Command {
    static let name = "completion"
    static let spec = CommandSpec(
        name,
        group: CommandGroup.prepare,
        summary: "Prints a script for shell completion of commands, options and values",
        discussion: ["Save the output where the shell looks for it; the examples show where."],
        positionals: .init("SHELL", count: 1...1, words: CompletionShell.allCases.map(\.rawValue)),
        examples: [
            .init(
                "wpexporter completion bash > ~/.local/share/bash-completion/completions/wpexporter",
                "bash with the package bash-completion"
            ),
            .init("wpexporter completion zsh > ~/.zfunc/_wpexporter", "zsh with ~/.zfunc in its fpath"),
            .init("wpexporter completion fish > ~/.config/fish/completions/wpexporter.fish", "fish"),
        ],
        exitStatuses: [
            .init(0, "the script was printed"), .init(1, "the output cannot be written"),
            .init(2, "there is no such shell"),
        ]
    )

    static func run(_ options: ParsedOptions) async throws -> ExitStatus {
        let name = options.positionals.first ?? ""
        guard let shell = CompletionShell(rawValue: name) else {
            let names = CompletionShell.allCases.map(\.rawValue).joined(separator: ", ")
            throw OptionFault(.invalidValue, "unknown shell; the known ones are \(names)")
        }
        try Console.output(Program.spec.completion(for: shell))
        return .success
    }
}
