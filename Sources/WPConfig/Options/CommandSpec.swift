// SPDX-License-Identifier: MIT

/// What a command understands, and what its help says.
public struct CommandSpec: Sendable, Hashable {
    /// A command line that shows a use.
    public struct Example: Sendable, Hashable {
        /// The command line.
        public var command: String
        /// What it does.
        public var text: String

        /// Creates an example.
        public init(_ command: String, _ text: String) {
            self.command = command
            self.text = text
        }
    }

    /// An exit status and its meaning.
    public struct ExitStatus: Sendable, Hashable {
        /// The status.
        public var code: Int32
        /// When the command ends with it.
        public var meaning: String

        /// Creates a status.
        public init(_ code: Int32, _ meaning: String) {
            self.code = code
            self.meaning = meaning
        }
    }

    /// Arguments that are no options.
    public struct Positionals: Sendable, Hashable {
        /// The name that help shows.
        public var name: String
        /// How many there may be.
        public var count: ClosedRange<Int>

        /// Creates a description of positional arguments.
        public init(_ name: String, count: ClosedRange<Int>) {
            self.name = name
            self.count = count
        }
    }

    /// The name, such as `server`.
    public let name: String
    /// What it does: a sentence without a full stop.
    public let summary: String
    /// More about it, a paragraph an element.
    public let discussion: [String]
    /// Its options; `-h` and `--help` are always understood.
    public let options: [CommandOption]
    /// Its other arguments; nil is none.
    public let positionals: Positionals?
    /// Uses of it.
    public let examples: [Example]
    /// How it ends.
    public let exitStatuses: [ExitStatus]

    /// Creates a description of a command.
    public init(
        _ name: String,
        summary: String,
        discussion: [String] = [],
        options: [CommandOption] = [],
        positionals: Positionals? = nil,
        examples: [Example] = [],
        exitStatuses: [ExitStatus] = []
    ) {
        self.name = name
        self.summary = summary
        self.discussion = discussion
        self.options = options
        self.positionals = positionals
        self.examples = examples
        self.exitStatuses = exitStatuses
    }

    /// The help of this command.
    /// - Parameters:
    ///   - program: the name of the program.
    ///   - width: the characters of a line.
    public func help(program: String, width: Int = 80) -> String {
        var arguments = positionals.map { $0.count.lowerBound == 0 ? " [\($0.name)]" : " \($0.name)" } ?? ""
        if (positionals?.count.upperBound ?? 0) > 1 { arguments += "..." }
        var blocks = [["Usage: \(program) \(name) [options]\(arguments)"]]
        blocks += ([summary + "."] + discussion).map { TextLayout.wrap($0, width: width) }
        blocks += optionBlocks(width: width)
        let settings = options.compactMap { $0.settingKey.flatMap(SettingTable.setting) }
        // One that shows how a key, its flag and its variable differ.
        if let example = settings.first(where: { $0.key == "server.read_timeout" }) ?? settings.last {
            let rule =
                "Each setting also has the flag of its key in the file, such as \(example.flags.last ?? example.flag) for "
                + "\(example.key), and an environment variable, such as \(example.variable)."
            blocks.append(TextLayout.wrap(rule, width: width))
        }
        if !examples.isEmpty {
            blocks.append(["Examples:"] + examples.flatMap { ["  # \($0.text)", "  \($0.command)"] })
        }
        if !exitStatuses.isEmpty {
            let rows = exitStatuses.map { (term: String($0.code), text: $0.meaning) }
            blocks.append(["Exit status:"] + TextLayout.columns(rows, width: width))
        }
        return blocks.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
    }

    private func optionBlocks(width: Int) -> [[String]] {
        let own = options.filter { $0.group == nil } + [CommandOption("-h, --help", help: "Show this help")]
        var groups: [String] = []
        for case let group? in options.map(\.group) where !groups.contains(group) { groups.append(group) }
        // One column for all blocks, so that the eye finds the explanations in one place.
        let ordered =
            [(heading: "Options", options: own)]
            + groups.map { group in (heading: group, options: options.filter { $0.group == group }) }
        let rows = ordered.flatMap { $0.options.map(Self.row) }
        var lines = TextLayout.columnBlocks(rows, width: width)[...]
        return ordered.map { block in
            let part = lines.prefix(block.options.count)
            lines = lines.dropFirst(block.options.count)
            return ["\(block.heading):"] + part.flatMap { $0 }
        }
    }

    private static func row(_ option: CommandOption) -> (term: String, text: String) {
        (option.usage, option.help + (option.defaultText.map { " (default: \($0))" } ?? ""))
    }
}
