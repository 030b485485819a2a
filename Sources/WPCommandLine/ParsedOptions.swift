// SPDX-License-Identifier: MIT

/// The options and arguments of a command line.
public struct ParsedOptions: Sendable {
    struct Given: Sendable, CustomStringConvertible, CustomReflectable {
        var option: CommandOption
        var spelling: String
        var value: String

        /// The option without its value, which may be a secret.
        var description: String { spelling }
        var customMirror: Mirror { Mirror(self, children: ["spelling": spelling]) }
    }

    var given: [Given] = []
    /// Whether help was requested. If so, nothing else is parsed.
    public internal(set) var wantsHelp = false
    /// The arguments that are not options.
    public internal(set) var positionals: [String] = []

    /// Whether an option was given.
    /// - Parameter name: the option's `CommandOption.name`, regardless of the spelling used.
    public func contains(_ name: String) -> Bool {
        given.contains { $0.option.name == name }
    }

    /// The value of an option, or nil if absent; `true` or `false` for a switch.
    /// - Parameter name: the option's `CommandOption.name`, regardless of the spelling used.
    public func value(of name: String) -> String? {
        values(of: name).first
    }

    /// The values of a repeatable option, in order.
    /// - Parameter name: the option's `CommandOption.name`, regardless of the spelling used.
    public func values(of name: String) -> [String] {
        given.filter { $0.option.name == name }.map(\.value)
    }

    /// The value of an option as a whole number, or nil if absent.
    /// - Throws: ``OptionFault`` if the value is not a number in the range.
    public func integer(of name: String, in range: ClosedRange<Int>) throws(OptionFault) -> Int? {
        guard let text = value(of: name) else { return nil }
        guard let value = Int(text), range.contains(value) else {
            throw invalid(name, text, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// The value of an option as a duration, or nil if absent.
    /// - Throws: ``OptionFault`` if the value is not a duration such as `1m30s`.
    public func duration(of name: String) throws(OptionFault) -> Duration? {
        guard let text = value(of: name) else { return nil }
        do throws(DurationText.Malformed) {
            return try DurationText.parse(text)
        } catch {
            throw invalid(name, text, "a duration such as 300ms, 5s, 1m30s or 2h (\(error))")
        }
    }

    /// The value of a switch, or nil if absent.
    /// - Throws: ``OptionFault`` if the value after `=` is not a boolean.
    public func boolean(of name: String) throws(OptionFault) -> Bool? {
        guard let text = value(of: name) else { return nil }
        guard let value = BooleanText.parse(text) else { throw invalid(name, text, BooleanText.expectation) }
        return value
    }

    /// The options that have a `CommandOption.key`, in order: spelling, key and value.
    public var keyed: [(spelling: String, key: String, value: String)] {
        given.compactMap { given in given.option.key.map { (given.spelling, $0, given.value) } }
    }

    private func invalid(_ name: String, _ text: String, _ expected: String) -> OptionFault {
        let isSecret = given.contains { $0.option.name == name && $0.option.isSecret }
        return OptionFault(
            .invalidValue,
            "\(name): found \(isSecret ? "a value" : Quoted.text(text)), expected \(expected)"
        )
    }
}
