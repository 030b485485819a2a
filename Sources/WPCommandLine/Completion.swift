// SPDX-License-Identifier: MIT

/// A shell that completes the words of a command line.
public enum CompletionShell: String, CaseIterable, Sendable, Hashable {
    /// bash with bash-completion.
    case bash
    /// zsh.
    case zsh
    /// fish.
    case fish
}

extension ProgramSpec {
    /// A script that teaches a shell the commands of the program, their options, and what these may be set to.
    ///
    /// Options that help does not show are not offered either, but their values are completed.
    public func completion(for shell: CompletionShell) -> String {
        switch shell {
        case .bash: BashCompletion(self).script
        case .zsh: ZshCompletion(self).script
        case .fish: FishCompletion(self).script
        }
    }

    /// The words that the first argument of a command may be.
    func words(of positionals: CommandSpec.Positionals) -> [String] {
        positionals.namesCommand ? commands.map(\.name) : positionals.words
    }
}

/// What is offered for the value of an option.
enum CompletionValue: Hashable {
    /// There is no value.
    case none
    /// A value of which nothing is known.
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
    /// What is offered for its value.
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

    /// The options that are offered for it: it, and what switches it off.
    var offered: [String] {
        argument == .boolean ? [name, "--no-" + name.dropFirst(2)] : [name]
    }

}

extension String {
    /// The text with some characters put into another form.
    func escaping(_ characters: Set<Character>, by form: (Character) -> String) -> String {
        var result = ""
        for character in self { result += characters.contains(character) ? form(character) : String(character) }
        return result
    }
}
