// SPDX-License-Identifier: MIT

/// Parses the arguments of a command. An option that is unknown, lacks its value, or is given twice is an error.
///
/// Accepts `--name value`, `--name=value`, `--switch`, `--no-switch`, `--switch=false`, `-h`, `--help`, and `--`, which
/// ends the options. A value that begins with a dash must be attached with `=`. In a command without positional
/// arguments, a boolean may follow a switch: `--switch false`.
public struct OptionParser: Sendable {
    private let spec: CommandSpec
    private let spellings: [String: Spelling]

    private struct Spelling: Sendable {
        var option: CommandOption
        var isNegated: Bool
    }

    /// Creates a parser for a command.
    public init(_ spec: CommandSpec) {
        self.spec = spec
        spellings = Dictionary(
            spec.allOptions.flatMap { option in
                option.spellings.map { ($0.text, Spelling(option: option, isNegated: $0.isNegated)) }
            }
        ) { first, _ in first }
    }

    /// Parses the arguments that follow the names of the program and the command.
    /// - Throws: ``OptionFault`` for the first error. A request for help takes precedence over all errors.
    public func parse(_ arguments: [String]) throws(OptionFault) -> ParsedOptions {
        var result = ParsedOptions()
        if arguments.prefix(while: { $0 != "--" }).contains(where: { $0 == "-h" || $0 == "--help" }) {
            result.wantsHelp = true
            return result
        }
        var rest = arguments[...]
        var positionals: [String] = []
        while let argument = rest.popFirst() {
            if argument == "--" {
                positionals += rest
                break
            }
            if argument.hasPrefix("-") && argument != "-" {
                try option(argument, &rest, into: &result)
            } else {
                positionals.append(argument)
            }
        }
        try check(positionals, result)
        result.positionals = positionals
        return result
    }

    private func option(
        _ argument: String,
        _ rest: inout ArraySlice<String>,
        into result: inout ParsedOptions
    ) throws(OptionFault) {
        let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        let attached = parts.count > 1 ? String(parts[1]) : nil
        guard let spelling = spellings[name] else { throw unknown(name) }
        let option = spelling.option
        let value: String
        switch option.argument {
        case .none:
            guard attached == nil else { throw OptionFault(.unexpectedValue, "\(name) takes no value") }
            value = "true"
        case .boolean where spelling.isNegated:
            guard attached == nil else { throw OptionFault(.unexpectedValue, "\(name) takes no value") }
            value = "false"
        case .boolean:
            value = attached ?? nextBoolean(&rest) ?? "true"
        case .value(let placeholder), .suggestion(let placeholder, _):
            value = try self.value(attached, &rest, for: name, placeholder)
        case .choice(let words):
            value = try self.value(attached, &rest, for: name, words.joined(separator: "|"))
            if option.key == nil { try check(value, isOneOf: words, of: name) }
        case .word(let placeholder, let words):
            value = try self.value(attached, &rest, for: name, placeholder)
            try check(value, isOneOf: words, of: name)
        }
        if let earlier = result.given.first(where: { $0.option.name == option.name }), !option.isRepeatable {
            let same = earlier.spelling == name ? "" : " (as \(earlier.spelling))"
            throw OptionFault(.repeated, "\(name) is already given\(same); it may be given once")
        }
        result.given.append(ParsedOptions.Given(option: option, spelling: name, value: value))
    }

    /// The next argument if it is the value of a switch: a boolean in a command without positional arguments.
    private func nextBoolean(_ rest: inout ArraySlice<String>) -> String? {
        guard spec.positionals == nil, let next = rest.first, BooleanText.parse(next) != nil
        else {
            return nil
        }
        return rest.popFirst()
    }

    private func value(
        _ attached: String?,
        _ rest: inout ArraySlice<String>,
        for name: String,
        _ placeholder: String
    ) throws(OptionFault) -> String {
        if let attached { return attached }
        guard let value = rest.first else {
            throw OptionFault(.missingValue, "\(name) needs a value: \(name) \(placeholder)")
        }
        guard !value.hasPrefix("-") || value == "-" else {
            throw OptionFault(
                .missingValue,
                "\(name) needs a value; one that begins with a dash is written \(name)=VALUE"
            )
        }
        rest.removeFirst()
        return value
    }

    private func check(_ value: String, isOneOf words: [String], of name: String) throws(OptionFault) {
        guard !words.contains(value) else { return }
        let expected = words.count > 2 ? words.joined(separator: ", ") : words.joined(separator: " or ")
        let question = NearestName.find(value, in: words).map { "; did you mean \($0)?" } ?? ""
        throw OptionFault(
            .invalidValue,
            "\(name): found \(Quoted.text(value)), expected \(words.count > 2 ? "one of " : "")\(expected)\(question)"
        )
    }

    private func unknown(_ name: String) -> OptionFault {
        // Shows no more than two characters: users of other programs may type a password as `-psecret`.
        let shown = name.hasPrefix("--") ? name : String(name.prefix(2))
        let nearest = NearestName.find(shown, in: spellings.keys)
        let question = nearest.map { "did you mean \($0)?" } ?? "--help lists the options"
        return OptionFault(.unknownOption, "\(spec.name) has no option \(Quoted.text(shown)); \(question)")
    }

    private func check(_ positionals: [String], _ result: ParsedOptions) throws(OptionFault) {
        let count = spec.positionals?.count ?? 0...0
        if positionals.count > count.upperBound {
            let extra = positionals[count.upperBound]
            // The argument may be the rest of an unquoted secret that contains spaces.
            let shown =
                result.given.contains { $0.option.isSecret } ? "an argument" : "the argument \(Quoted.text(extra))"
            let shape = result.given.last { $0.option.argument == .boolean }?.spelling
            let hint = shape.map { "; a switch takes its value as in \($0)=false" } ?? ""
            throw OptionFault(.unexpectedArgument, "\(spec.name) does not expect \(shown)\(hint)")
        }
        guard positionals.count >= count.lowerBound else {
            let words = spec.positionals?.words ?? []
            let hint = words.isEmpty ? "" : ": one of \(words.joined(separator: ", "))"
            throw OptionFault(.missingArgument, "\(spec.name) needs \(spec.positionals?.name ?? "an argument")\(hint)")
        }
    }
}
