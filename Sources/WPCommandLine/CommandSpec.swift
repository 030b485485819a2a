// SPDX-License-Identifier: MIT

/// A command: its options, arguments and help.
public struct CommandSpec: Sendable, Hashable {
    /// An example command line.
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
        /// The choices of the first argument, for completion; empty if it is free text.
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

    /// Terms and their meanings, under a heading.
    public struct TermList: Sendable, Hashable {
        /// A word and its meaning.
        struct Term: Sendable, Hashable {
            /// The word.
            let name: String
            /// What it means.
            let text: String
        }

        /// The heading.
        let heading: String
        /// The terms in order.
        let terms: [Term]

        /// Creates a list.
        public init(_ heading: String, _ terms: [(name: String, text: String)]) {
            self.heading = heading
            self.terms = terms.map { Term(name: $0.name, text: $0.text) }
        }
    }

    /// The name, such as `server`.
    package let name: String
    /// The heading in the program's help; nil for "Commands".
    let group: String?
    /// What it does: a phrase without a full stop.
    let summary: String
    /// The description, one paragraph per element.
    let discussion: [String]
    /// The terms used in its arguments and options.
    let lists: [TermList]
    /// Its own options; `-h` and `--help` are always accepted.
    let options: [CommandOption]
    /// Options shared with other commands.
    let shared: SharedOptions?
    /// Its positional arguments; nil if it takes none.
    let positionals: Positionals?
    /// Examples.
    package let examples: [Example]
    /// Its exit statuses.
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

    /// What it does: a phrase without a full stop.
    package var summaryText: String { summary }

    /// This command as the default action of a program without command names, with additional lists in its help.
    package func unnamed(with more: [TermList]) -> CommandSpec {
        CommandSpec(
            "",
            group: group,
            summary: summary,
            discussion: discussion,
            lists: lists + more,
            options: options,
            shared: shared,
            positionals: positionals,
            examples: examples,
            exitStatuses: exitStatuses
        )
    }

    /// Its own options and the shared ones.
    var allOptions: [CommandOption] { options + (shared?.options ?? []) }
}

/// Options that several commands share, such as those of a program's settings. The manual page describes them once, in
/// their own section.
public struct SharedOptions: Sendable, Hashable {
    /// The title of the manual's section, in capital letters.
    let title: String
    /// The introduction of the section.
    let introduction: String
    /// The options.
    package let options: [CommandOption]
    /// The text below them in a command's help.
    let footnote: String?

    /// Creates a group of options.
    /// - Parameters:
    ///   - title: the title of the manual's section, in capital letters.
    ///   - introduction: the introduction of the section.
    ///   - options: the options.
    ///   - footnote: the text below them in a command's help.
    public init(_ title: String, introduction: String, options: [CommandOption], footnote: String? = nil) {
        self.title = title
        self.introduction = introduction
        self.options = options
        self.footnote = footnote
    }
}
