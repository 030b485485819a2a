// SPDX-License-Identifier: MIT

/// A shell with command-line completion.
public enum CompletionShell: String, CaseIterable, Sendable, Hashable {
    /// bash.
    case bash
    /// zsh.
    case zsh
    /// fish.
    case fish
}

extension ProgramSpec {
    /// The completion script for the program's commands, options and values.
    ///
    /// Options that help does not list are not offered, but their values are completed.
    public func completion(for shell: CompletionShell) -> String {
        switch shell {
        case .bash: BashCompletion(self).script
        case .zsh: ZshCompletion(self).script
        case .fish: FishCompletion(self).script
        }
    }

    /// The choices of a command's first argument.
    func words(of positionals: CommandSpec.Positionals) -> [String] {
        positionals.namesCommand ? commands.map(\.name) : positionals.words
    }
}

/// The completion of an option's value.
enum CompletionValue: Hashable {
    /// There is no value.
    case none
    /// Free text.
    case free
    /// One of these words.
    case words([String])
    /// The path of a file.
    case file
    /// The path of a directory.
    case directory
    /// One of these words, or the path of a file.
    case wordsOrFile([String])
}

extension CommandOption {
    /// How to complete its value.
    var completion: CompletionValue {
        switch argument {
        case .none, .boolean: .none
        case .choice(let words), .word(_, let words): .words(words)
        case .value("PATH"), .value("FILE"): .file
        case .value("DIRECTORY"): .directory
        case .suggestion(_, let suggestions):
            suggestions.andFiles ? .wordsOrFile(suggestions.words) : .words(suggestions.words)
        case .value: .free
        }
    }

    /// The spellings offered for completion: the option, and its negation if it has one.
    var offered: [String] {
        argument == .boolean ? [name, "--no-" + name.dropFirst(2)] : [name]
    }

}

extension String {
    /// The text with some characters replaced by an escaped form.
    func escaping(_ characters: Set<Character>, by form: (Character) -> String) -> String {
        var result = ""
        for character in self { result += characters.contains(character) ? form(character) : String(character) }
        return result
    }
}
