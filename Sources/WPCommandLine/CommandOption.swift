// SPDX-License-Identifier: MIT

/// An option that a command understands.
public struct CommandOption: Sendable, Hashable {
    /// What follows an option.
    public enum Argument: Sendable, Hashable {
        /// Nothing: it is there or not.
        case none
        /// Nothing, or `=` and a boolean; `--no-NAME` is the same as `--NAME=false`.
        case boolean
        /// A value, shown under this name.
        case value(String)
        /// One of these words.
        case choice([String])
        /// One of these words, shown under this name; a list of the command says what they mean.
        case word(String, [String])
        /// A value, shown under this name, for which completion offers something.
        case suggestion(String, Suggestions)
    }

    /// What completion offers for a value that may be something else too.
    public struct Suggestions: Sendable, Hashable {
        let words: [String]
        let andFiles: Bool

        /// Creates suggestions.
        /// - Parameters:
        ///   - words: the words to offer.
        ///   - andFiles: whether the paths of files are offered too.
        public init(_ words: [String], andFiles: Bool = false) {
            self.words = words
            self.andFiles = andFiles
        }
    }

    /// The option with its dashes, such as `--port`.
    package let name: String
    /// Other spellings.
    let aliases: [String]
    /// What follows it.
    let argument: Argument
    /// What it does: a phrase without a full stop.
    let help: String
    /// The default for help, or nil.
    let defaultText: String?
    /// The heading that help shows it under; nil is "Options".
    let group: String?
    /// Whether it may be given more than once.
    let isRepeatable: Bool
    /// Whether its value is shown in no message.
    let isSecret: Bool
    /// What the program files its value under, such as the name of a setting, or nil. The words of such an option are
    /// not checked by the parser but by the consumer of ``ParsedOptions/keyed``, so that all errors are reported at once.
    package let key: String?
    /// What the manual adds to the help, or nil.
    let reference: String?
    /// Whether help and completion show it. One that is not shown is understood all the same.
    package let isListed: Bool

    /// Creates an option.
    public init(
        _ name: String,
        aliases: [String] = [],
        _ argument: Argument = .none,
        help: String,
        defaultText: String? = nil,
        group: String? = nil,
        isRepeatable: Bool = false,
        isSecret: Bool = false,
        key: String? = nil,
        reference: String? = nil,
        isListed: Bool = true
    ) {
        self.name = name
        self.aliases = aliases
        self.argument = argument
        self.help = help
        self.defaultText = defaultText
        self.group = group
        self.isRepeatable = isRepeatable
        self.isSecret = isSecret
        self.key = key
        self.reference = reference
        self.isListed = isListed
    }

    /// All spellings, and with which of them it is switched off.
    var spellings: [(text: String, isNegated: Bool)] {
        let names = [name] + aliases
        guard argument == .boolean else { return names.map { ($0, false) } }
        return names.map { ($0, false) } + names.map { ("--no-" + $0.dropFirst(2), true) }
    }

    /// The option and its argument as help shows them.
    var usage: String {
        switch argument {
        case .none: name
        case .boolean: "--[no-]" + name.dropFirst(2)
        case .value(let placeholder), .word(let placeholder, _), .suggestion(let placeholder, _):
            "\(name) \(placeholder)"
        case .choice(let words): hasManyChoices ? "\(name) WORD" : "\(name) \(words.joined(separator: "|"))"
        }
    }

    /// What help says of it: what it does, the words it may be set to if they are too many for ``usage``, the default.
    var explanation: String {
        var text = help
        if case .choice(let words) = argument, hasManyChoices { text += ": \(words.joined(separator: ", "))" }
        return text + (defaultText.map { " (default: \($0))" } ?? "")
    }

    private var hasManyChoices: Bool {
        guard case .choice(let words) = argument else { return false }
        return words.joined(separator: "|").count > 24
    }
}
