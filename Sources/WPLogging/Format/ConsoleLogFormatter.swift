// SPDX-License-Identifier: MIT

import WPCore

/// Formats a record as one human-readable line: `2025-06-15T15:06:40.123Z INFO  Message  key=value`.
///
/// A value that is not a plain ASCII word is quoted. Line breaks and terminal controls are always escaped.
package struct ConsoleLogFormatter: LogFormatter {
    private let usesColors: Bool
    private let includesCaller: Bool

    /// Creates a formatter.
    /// - Parameters:
    ///   - usesColors: whether to colour the level with ANSI escape sequences.
    ///   - includesCaller: whether to add the field `caller` with the source location.
    package init(usesColors: Bool = false, includesCaller: Bool = false) {
        self.usesColors = usesColors
        self.includesCaller = includesCaller
    }

    /// Whether to colour an output: only a colour terminal, and only if `NO_COLOR` (no-color.org) is unset or empty.
    /// - Parameters:
    ///   - isTerminal: whether the output is a terminal.
    ///   - environment: the environment variables; reads `NO_COLOR` and `TERM`.
    package static func shouldUseColors(isTerminal: Bool, environment: [String: String]) -> Bool {
        let isDisabled = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        return isTerminal && !isDisabled && environment["TERM"] != "dumb"
    }

    /// Appends a record.
    package func append(_ record: LogRecord, to output: inout [UInt8]) {
        RFC3339.append(record.time, fraction: .milliseconds, to: &output)
        output.append(UInt8(ascii: " "))
        let level = record.level.rawValue.uppercased()
        output += (usesColors ? "\(record.level.color)\(level)\u{1B}[0m" : level).utf8
        output += String(repeating: " ", count: 6 - level.utf8.count).utf8
        output.appendLogEscaped(record.message, quoted: false)
        var separator = "  "
        func appendField(_ key: String, _ value: LogValue) {
            output.append(contentsOf: separator.utf8)
            separator = " "
            output.appendWord(key)
            output.append(UInt8(ascii: "="))
            switch value {
            case .string(let text): output.appendWord(text)
            case .int(let number): output.append(contentsOf: String(number).utf8)
            case .double(let number): output.append(contentsOf: number.logText.utf8)
            case .bool(let flag): output.append(contentsOf: "\(flag)".utf8)
            }
        }
        if includesCaller { appendField("caller", .string(record.caller.description)) }
        for field in record.fields.written(reserved: includesCaller ? ["caller"] : []) {
            appendField(field.key, field.value)
        }
        output.append(UInt8(ascii: "\n"))
    }
}

extension LogLevel {
    fileprivate var color: String {
        switch self {
        case .debug: "\u{1B}[36m"
        case .info: "\u{1B}[32m"
        case .warn: "\u{1B}[33m"
        case .error: "\u{1B}[31m"
        }
    }
}

extension [UInt8] {
    /// Appends a plain word unchanged, and any other text quoted.
    fileprivate mutating func appendWord(_ text: String) {
        let isPlain = text.utf8.allSatisfy { byte in
            byte > 0x20 && byte < 0x7F && byte != 0x22 && byte != 0x3D && byte != 0x5C
        }
        if isPlain, !text.isEmpty, text.utf8.count <= maximumLogTextBytes {
            append(contentsOf: text.utf8)
        } else {
            appendLogQuoted(text)
        }
    }
}
