// SPDX-License-Identifier: MIT

/// A regular expression in RE2's syntax, as node_exporter's flags take them, that finds a match anywhere in a name.
///
/// Matching takes time in proportion to the name's length times the expression's, whatever either is, and the value can be
/// shared between threads; neither is true of Swift's `Regex`. Of RE2 it knows literals, `.`, classes with ranges and
/// `[:alpha:]`, `\d \w \s`, groups, `|`, `* + ? {n,m}` and their lazy forms, `^ $ \A \z \b \B`, and `(?i)` at the start.
public struct NamePattern: Sendable, Hashable, CustomStringConvertible {
    /// The expression as it was given.
    public let description: String
    private let program: PatternProgram

    /// Creates a pattern.
    /// - Parameter text: a regular expression; an empty one matches nothing, which is how an exclusion is switched off.
    /// - Throws: ``NamePatternError`` that names the place.
    public init(_ text: String) throws(NamePatternError) {
        description = text
        var parser = PatternParser(text)
        program = try parser.parse()
    }

    /// Creates one of this library's own patterns; an expression that does not compile matches nothing.
    init(known text: String) {
        description = text
        var parser = PatternParser(text)
        program = (try? parser.parse()) ?? PatternProgram(instructions: [.fail], ignoresCase: false)
    }

    /// Whether the expression matches somewhere in a name.
    public func matches(_ name: String) -> Bool {
        !description.isEmpty && program.matches(name)
    }
}

/// What is wrong with a regular expression.
public struct NamePatternError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The whole sentence: what is wrong, and after which character.
    public let description: String

    init(_ problem: String, at index: Int) {
        description = "\(problem) at character \(index + 1)"
    }
}
