// SPDX-License-Identifier: MIT

package import WPCommandLine

/// The type and range of a setting, for help and messages.
package enum SettingType: Sendable, Hashable {
    /// Text without control characters.
    case text
    /// A password or token: one line of any text.
    case secret
    /// The path of a file or directory.
    case path
    /// `true` or `false`.
    case boolean
    /// An integer in a range.
    case integer(ClosedRange<Int>)
    /// A duration in a range.
    case duration(ClosedRange<Duration>)
    /// A size in bytes in a range.
    case size(ClosedRange<Int>)
    /// Permission bits of a file.
    case permissions
    /// A decimal number in a range, or `off`.
    case factor(ClosedRange<Int>)
    /// One of these words.
    case choice([String])
    /// A type specific to one program.
    case custom(CustomSettingType)

    /// What is expected, to follow "expected".
    package var expectation: String {
        switch self {
        case .text: "text without control characters"
        case .secret: "one line of text"
        case .path: "a path"
        case .boolean: BooleanText.expectation
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .duration(let range): "a duration from \(Self.text(range)), such as 300ms, 5s, 1m30s or 2h"
        case .size(let range): "a size from \(Self.text(range)), in bytes or with KiB, MiB or GiB"
        case .permissions: "octal permissions from 0600 to 0777, with the leading 0, such as 0644"
        case .factor(let range): "a number from \(range.lowerBound) to \(range.upperBound), such as 1.5, or off"
        case .choice(let words): words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
        case .custom(let type): type.expectation
        }
    }

    /// The type and range in a few words, for a table.
    package var summary: String {
        switch self {
        case .text: "text"
        case .secret: "secret"
        case .path: "path"
        case .boolean: "boolean"
        case .integer(let range): "integer, \(range.lowerBound) to \(range.upperBound)"
        case .duration(let range): "duration, \(Self.text(range))"
        case .size(let range): "size, \(Self.text(range))"
        case .permissions: "octal, 0600 to 0777"
        case .factor(let range): "number, \(range.lowerBound) to \(range.upperBound), or off"
        case .choice(let words): words.joined(separator: ", ")
        case .custom(let type): type.summary
        }
    }

    /// The argument of the option that sets it.
    var argument: CommandOption.Argument {
        switch self {
        case .text, .secret: .value("TEXT")
        case .path: .value("PATH")
        case .boolean: .boolean
        case .integer: .value("N")
        case .duration: .value("DURATION")
        case .size: .value("SIZE")
        case .permissions: .value("OCTAL")
        case .factor: .value("FACTOR")
        case .choice(let words): .choice(words)
        case .custom(let type): type.suggestions.map { .suggestion(type.placeholder, $0) } ?? .value(type.placeholder)
        }
    }

    /// Whether a quoted YAML value has the wrong type.
    var rejectsQuotes: Bool {
        switch self {
        case .boolean, .integer: true
        default: false
        }
    }

    /// Whether a value that contains `@` may include a user name and a password.
    var mayHoldCredentials: Bool {
        if case .custom(let type) = self { type.mayHoldCredentials } else { false }
    }

    private static func text(_ range: ClosedRange<Duration>) -> String {
        "\(DurationText.format(range.lowerBound)) to \(DurationText.format(range.upperBound))"
    }

    private static func text(_ range: ClosedRange<Int>) -> String {
        "\(SizeText.format(range.lowerBound)) to \(SizeText.format(range.upperBound))"
    }
}

/// A setting type specific to one program.
package struct CustomSettingType: Sendable, Hashable {
    /// What is expected, to follow "expected".
    package var expectation: String
    /// The type in a few words, for a table.
    package var summary: String
    /// The placeholder of a value in a usage line.
    package var placeholder: String
    /// The suggestions for completion, if any.
    package var suggestions: CommandOption.Suggestions?
    /// Whether a value that contains `@` may include a user name and a password.
    package var mayHoldCredentials = false

    package init(
        expectation: String,
        summary: String,
        placeholder: String,
        suggestions: CommandOption.Suggestions? = nil,
        mayHoldCredentials: Bool = false
    ) {
        self.expectation = expectation
        self.summary = summary
        self.placeholder = placeholder
        self.suggestions = suggestions
        self.mayHoldCredentials = mayHoldCredentials
    }
}
