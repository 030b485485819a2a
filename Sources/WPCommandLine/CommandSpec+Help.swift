// SPDX-License-Identifier: MIT

extension CommandSpec {
    /// The help of this command.
    /// - Parameters:
    ///   - program: the name of the program.
    ///   - width: the line width in characters.
    public func help(program: String, width: Int = 80) -> String {
        var blocks = [["Usage: " + synopsis(program: program)]]
        blocks += ([summary + "."] + discussion).map { TextLayout.wrap($0, width: width) }
        blocks += lists.map { list in
            ["\(list.heading):"] + TextLayout.columns(list.terms.map { ($0.name, $0.text) }, width: width)
        }
        blocks += optionBlocks(width: width)
        if let note = shared?.footnote { blocks.append(TextLayout.wrap(note, width: width)) }
        if !examples.isEmpty {
            let lines = examples.flatMap { example in
                TextLayout.wrap(example.text, width: width - 4).map { "  # " + $0 }
                    + TextLayout.wrapCommand(example.command, width: width - 2).map { "  " + $0 }
            }
            blocks.append(["Examples:"] + lines)
        }
        if !exitStatuses.isEmpty {
            let rows = exitStatuses.map { (term: String($0.code), text: $0.meaning) }
            blocks.append(["Exit status:"] + TextLayout.columns(rows, width: width))
        }
        return blocks.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
    }

    /// The usage line: `wpexporter help [options] [COMMAND]`.
    func synopsis(program: String) -> String {
        var arguments = positionals.map { $0.count.lowerBound == 0 ? " [\($0.name)]" : " \($0.name)" } ?? ""
        if (positionals?.count.upperBound ?? 0) > 1 { arguments += "..." }
        let command = name.isEmpty ? "" : " \(name)"
        return "\(program)\(command) [options]\(arguments)"
    }

    private func optionBlocks(width: Int) -> [[String]] {
        let listed = allOptions.filter(\.isListed)
        let own = listed.filter { $0.group == nil } + [CommandOption("-h, --help", help: "Show this help")]
        var groups: [String] = []
        for case let group? in listed.map(\.group) where !groups.contains(group) { groups.append(group) }
        // One column for all blocks aligns the explanations.
        let ordered =
            [(heading: "Options", options: own)]
            + groups.map { group in (heading: group, options: listed.filter { $0.group == group }) }
        let rows = ordered.flatMap { $0.options.map { (term: $0.usage, text: $0.explanation) } }
        var lines = TextLayout.columnBlocks(rows, width: width)[...]
        return ordered.map { block in
            let part = lines.prefix(block.options.count)
            lines = lines.dropFirst(block.options.count)
            return ["\(block.heading):"] + part.flatMap { $0 }
        }
    }
}
