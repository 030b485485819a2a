// SPDX-License-Identifier: MIT

/// What a command understands, and what its help says.
public struct CommandSpec: Sendable, Hashable {
    /// A command line that shows a use.
    public struct Example: Sendable, Hashable {
        /// The command line.
        package let command: String
        /// What it does.
        let text: String

        /// Creates an example.
        public init(_ command: String, _ text: String) {
            self.command = command
            self.text = text
        }
    }

    /// An exit status and its meaning.
    public struct ExitStatus: Sendable, Hashable {
        /// The status.
        let code: Int32
        /// When the command exits with it.
        let meaning: String

        /// Creates a status.
        public init(_ code: Int32, _ meaning: String) {
            self.code = code
            self.meaning = meaning
        }
    }

    /// Arguments that are not options.
    public struct Positionals: Sendable, Hashable {
        /// The name that help shows.
        let name: String
        /// How many there may be.
        let count: ClosedRange<Int>
        /// The words that the first may be, for completion; empty when it is free.
        let words: [String]

        /// Whether the first is the name of a command.
        let namesCommand: Bool

        /// Creates a description of positional arguments.
        public init(_ name: String, count: ClosedRange<Int>, words: [String] = [], namesCommand: Bool = false) {
            self.name = name
            self.count = count
            self.words = words
            self.namesCommand = namesCommand
        }
    }

    /// Words and what they mean, under a heading.
    public struct TermList: Sendable, Hashable {
        /// A word and its meaning.
        struct Term: Sendable, Hashable {
            /// The word.
            let name: String
            /// What it means.
            let text: String
        }

        /// What the words are.
        let heading: String
        /// The words in their order.
        let terms: [Term]

        /// Creates a list.
        public init(_ heading: String, _ terms: [(name: String, text: String)]) {
            self.heading = heading
            self.terms = terms.map { Term(name: $0.name, text: $0.text) }
        }
    }

    /// The name, such as `server`.
    package let name: String
    /// The heading that the program's help shows it under; nil is "Commands".
    let group: String?
    /// What it does: a phrase without a full stop.
    let summary: String
    /// More about it, one paragraph per element.
    let discussion: [String]
    /// Words that its arguments and options are made of.
    let lists: [TermList]
    /// Its own options; `-h` and `--help` are always understood.
    let options: [CommandOption]
    /// Options that it shares with other commands.
    let shared: SharedOptions?
    /// Its other arguments; nil when it takes none.
    let positionals: Positionals?
    /// Uses of it.
    package let examples: [Example]
    /// How it ends.
    let exitStatuses: [ExitStatus]

    /// Creates a description of a command.
    public init(
        _ name: String,
        group: String? = nil,
        summary: String,
        discussion: [String] = [],
        lists: [TermList] = [],
        options: [CommandOption] = [],
        shared: SharedOptions? = nil,
        positionals: Positionals? = nil,
        examples: [Example] = [],
        exitStatuses: [ExitStatus] = []
    ) {
        self.name = name
        self.group = group
        self.summary = summary
        self.discussion = discussion
        self.lists = lists
        self.options = options
        self.shared = shared
        self.positionals = positionals
        self.examples = examples
        self.exitStatuses = exitStatuses
    }

    /// All its options.
    var allOptions: [CommandOption] { options + (shared?.options ?? []) }
}

/// Options that several commands share, such as those of a program's settings. The manual page describes them once, in a
/// chapter of their own.
public struct SharedOptions: Sendable, Hashable {
    /// The title of the manual's chapter, in capital letters.
    let title: String
    /// What the chapter begins with.
    let introduction: String
    /// The options.
    package let options: [CommandOption]
    /// What a command's help says below them.
    let footnote: String?

    /// Creates a group of options.
    /// - Parameters:
    ///   - title: the title of the manual's chapter, in capital letters.
    ///   - introduction: what the chapter begins with.
    ///   - options: the options.
    ///   - footnote: what a command's help says below them.
    public init(_ title: String, introduction: String, options: [CommandOption], footnote: String? = nil) {
        self.title = title
        self.introduction = introduction
        self.options = options
        self.footnote = footnote
    }
}
