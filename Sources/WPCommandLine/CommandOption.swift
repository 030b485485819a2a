// SPDX-License-Identifier: MIT

/// An option of a command.
public struct CommandOption: Sendable, Hashable {
    /// The argument of an option.
    public enum Argument: Sendable, Hashable {
        /// None: a flag.
        case none
        /// None, or `=` and a boolean; `--no-NAME` is the same as `--NAME=false`.
        case boolean
        /// A value, with its placeholder in help.
        case value(String)
        /// One of these words.
        case choice([String])
        /// One of these words, with its placeholder in help; a ``CommandSpec/TermList`` explains them.
        case word(String, [String])
        /// A value, with its placeholder in help and its suggestions for completion.
        case suggestion(String, Suggestions)
    }

    /// Suggestions for completion of a value that is not limited to them.
    public struct Suggestions: Sendable, Hashable {
        let words: [String]
        let andFiles: Bool

        /// Creates suggestions.
        /// - Parameters:
        ///   - words: the words to offer.
        ///   - andFiles: whether file paths are offered too.
        public init(_ words: [String], andFiles: Bool = false) {
            self.words = words
            self.andFiles = andFiles
        }
    }

    /// The option with its dashes, such as `--port`.
    package let name: String
    /// Other spellings.
    let aliases: [String]
    /// Its argument.
    let argument: Argument
    /// What it does: a phrase without a full stop.
    let help: String
    /// The default shown in help, or nil.
    let defaultText: String?
    /// The heading in help; nil for "Options".
    let group: String?
    /// Whether it may be given more than once.
    let isRepeatable: Bool
    /// Whether messages omit its value.
    let isSecret: Bool
    /// The key of its value, such as the name of a setting, or nil. The consumer of ``ParsedOptions/keyed`` validates
    /// such a value, so that all errors are reported at once.
    package let key: String?
    /// Additional text for the manual, or nil.
    let reference: String?
    /// Whether help and completion list it. Unlisted options are accepted as well.
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

    /// All spellings, and whether each switches the option off.
    var spellings: [(text: String, isNegated: Bool)] {
        let names = [name] + aliases
        let negations = argument == .boolean ? names.map { "--no-" + $0.dropFirst(2) } : []
        return names.map { ($0, false) } + negations.map { ($0, true) }
    }

    /// The option and its argument as help shows them.
    var usage: String {
        switch argument {
        case .none: name
        case .boolean: "--[no-]" + name.dropFirst(2)
        case .value(let placeholder), .word(let placeholder, _), .suggestion(let placeholder, _):
            "\(name) \(placeholder)"
        case .choice(let words): Self.areMany(words) ? "\(name) WORD" : "\(name) \(words.joined(separator: "|"))"
        }
    }

    /// The text in help: description, the choices if they are too many for ``usage``, and the default.
    var explanation: String {
        var text = help
        if case .choice(let words) = argument, Self.areMany(words) { text += ": \(words.joined(separator: ", "))" }
        return text + (defaultText.map { " (default: \($0))" } ?? "")
    }

    private static func areMany(_ words: [String]) -> Bool { words.joined(separator: "|").count > 24 }
}
