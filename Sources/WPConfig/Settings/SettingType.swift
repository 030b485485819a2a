// SPDX-License-Identifier: MIT

import WPCommandLine

/// What a setting may be set to, for help and messages.
public enum SettingType: Sendable, Hashable {
    /// A text without control characters.
    case text
    /// A password or token: one line of any text.
    case secret
    /// The path of a file or directory.
    case path
    /// An `http` or `https` address.
    case url
    /// The path of an HTTP endpoint.
    case endpoint
    /// `true` or `false`.
    case boolean
    /// A whole number in a range.
    case integer(ClosedRange<Int>)
    /// A duration in a range.
    case duration(ClosedRange<Duration>)
    /// A number of bytes in a range.
    case size(ClosedRange<Int>)
    /// Permission bits of a file.
    case permissions
    /// A decimal number in a range, or `off`.
    case factor(ClosedRange<Int>)
    /// One of these words.
    case choice([String])
    /// `stdout`, `stderr` or the path of a file.
    case output
    /// `none`, `environment` or the address of an HTTP proxy.
    case proxy
    /// Modules and their log levels: `client=debug,server=warn`.
    case moduleLevels

    /// What is expected, to follow "expected".
    public var expectation: String {
        switch self {
        case .text: "a text without control characters"
        case .secret: "one line of text"
        case .path: "a path"
        case .url: "an address such as https://winpower.example.com"
        case .endpoint: "a path that begins with /"
        case .boolean: BooleanText.expectation
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .duration(let range): "a duration from \(Self.text(range)), such as 300ms, 5s, 1m30s or 2h"
        case .size(let range): "a size from \(Self.text(range)), in bytes or with KiB, MiB or GiB"
        case .permissions: "octal permissions from 0600 to 0777, with the leading 0, such as 0644"
        case .factor(let range): "a number from \(range.lowerBound) to \(range.upperBound), such as 1.5, or off"
        case .choice(let words): words.dropLast().joined(separator: ", ") + " or " + (words.last ?? "")
        case .output: "stdout, stderr or the path of a file"
        case .proxy: "none, environment, or an address such as http://proxy.example.com:3128"
        case .moduleLevels: "modules and their levels, such as client=debug,server=warn"
        }
    }

    /// The type and range in a few words, for a table.
    public var summary: String {
        switch self {
        case .text: "text"
        case .secret: "secret"
        case .path: "path"
        case .url: "http(s) address"
        case .endpoint: "URL path"
        case .boolean: "boolean"
        case .integer(let range): "integer, \(range.lowerBound) to \(range.upperBound)"
        case .duration(let range): "duration, \(Self.text(range))"
        case .size(let range): "size, \(Self.text(range))"
        case .permissions: "octal, 0600 to 0777"
        case .factor(let range): "number, \(range.lowerBound) to \(range.upperBound), or off"
        case .choice(let words): words.joined(separator: ", ")
        case .output: "stdout, stderr or a path"
        case .proxy: "none, environment or http address"
        case .moduleLevels: "module=level, … with the modules " + LoggingSettings.Module.names
        }
    }

    /// What stands for a value in a usage line.
    public var placeholder: String {
        switch self {
        case .text, .secret: "TEXT"
        case .path: "PATH"
        case .url: "URL"
        case .endpoint: "URLPATH"
        case .boolean: "BOOL"
        case .integer: "N"
        case .duration: "DURATION"
        case .size: "SIZE"
        case .permissions: "OCTAL"
        case .factor: "FACTOR"
        case .choice: "WORD"
        case .output: "OUTPUT"
        case .proxy: "PROXY"
        case .moduleLevels: "MODULE=LEVEL,..."
        }
    }

    /// Whether quotes around a YAML value say that it is of another type.
    var refusesQuotes: Bool {
        switch self {
        case .boolean, .integer: true
        default: false
        }
    }

    private static func text(_ range: ClosedRange<Duration>) -> String {
        "\(DurationText.format(range.lowerBound)) to \(DurationText.format(range.upperBound))"
    }

    private static func text(_ range: ClosedRange<Int>) -> String {
        "\(SizeText.format(range.lowerBound)) to \(SizeText.format(range.upperBound))"
    }
}
