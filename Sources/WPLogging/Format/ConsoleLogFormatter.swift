// SPDX-License-Identifier: MIT

import WPText

/// Writes a record as one line for people: `2025-06-15T15:06:40.123Z INFO  Message  key=value`.
///
/// A value that is not a plain ASCII word stands between quotation marks. What could break the line or steer a terminal
/// is escaped wherever it comes from.
package struct ConsoleLogFormatter: LogFormatter {
    private let usesColors: Bool
    private let includesCaller: Bool

    /// Creates a formatter.
    /// - Parameters:
    ///   - usesColors: whether the level is coloured by ANSI escape sequences.
    ///   - includesCaller: whether the field `caller` says where in the source it was logged.
    package init(usesColors: Bool = false, includesCaller: Bool = false) {
        self.usesColors = usesColors
        self.includesCaller = includesCaller
    }

    /// Whether an output should be coloured: only a terminal that can do it, and only if the user has not set
    /// `NO_COLOR` (no-color.org) to something.
    /// - Parameters:
    ///   - isTerminal: whether the output is a terminal.
    ///   - environment: the process's environment: `NO_COLOR` and `TERM` count.
    package static func suitsColors(isTerminal: Bool, environment: [String: String]) -> Bool {
        let refused = environment["NO_COLOR"].map { !$0.isEmpty } ?? false
        return isTerminal && !refused && environment["TERM"] != "dumb"
    }

    /// Appends a record.
    package func append(_ record: LogRecord, to output: inout [UInt8]) {
        RFC3339.append(record.time, fraction: .milliseconds, to: &output)
        output.append(UInt8(ascii: " "))
        if usesColors { output.append(contentsOf: record.level.color.utf8) }
        output.append(contentsOf: record.level.name.utf8)
        if usesColors { output.append(contentsOf: "\u{1B}[0m".utf8) }
        output.append(contentsOf: record.level.padding.utf8)
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
            case .bool(let flag): output.append(contentsOf: (flag ? "true" : "false").utf8)
            }
        }
        if includesCaller { appendField("caller", .string(record.caller.description)) }
        record.fields.forEachWritten(reserved: includesCaller ? ["caller"] : [], appendField)
        output.append(UInt8(ascii: "\n"))
    }
}

extension LogLevel {
    fileprivate var name: String {
        switch self {
        case .debug: "DEBUG"
        case .info: "INFO"
        case .warn: "WARN"
        case .error: "ERROR"
        }
    }

    fileprivate var padding: String {
        switch self {
        case .debug, .error: " "
        case .info, .warn: "  "
        }
    }

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
    /// Appends a text as it is when it is a plain word, else quoted.
    fileprivate mutating func appendWord(_ text: String) {
        let isPlain = text.utf8.allSatisfy { byte in
            byte > 0x20 && byte < 0x7F && byte != 0x22 && byte != 0x3D && byte != 0x5C
        }
        if isPlain, !text.isEmpty, text.utf8.count <= longestLogText {
            append(contentsOf: text.utf8)
        } else {
            appendLogQuoted(text)
        }
    }
}
