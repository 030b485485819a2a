// SPDX-License-Identifier: MIT

import WPCore

/// Formats a record as one JSON object on one line.
///
/// The keys `level`, `ts` (RFC 3339, UTC, milliseconds) and `msg` come first, then `caller` if enabled, then the fields
/// in order. Of duplicate fields, the last one is written; a field with one of these four names gets the prefix
/// `field_`. Non-finite numbers are the strings `NaN`, `+Inf` and `-Inf`.
package struct JSONLogFormatter: LogFormatter {
    private static let reserved = ["level", "ts", "msg", "caller"]

    private let includesCaller: Bool

    /// Creates a formatter.
    /// - Parameter includesCaller: whether to add the key `caller` with the source location, as `Module/File.swift:12`.
    package init(includesCaller: Bool = false) {
        self.includesCaller = includesCaller
    }

    /// Appends a record.
    package func append(_ record: LogRecord, to output: inout [UInt8]) {
        output.append(Self.beginning(record.level))
        RFC3339.append(record.time, fraction: .milliseconds, to: &output)
        output.append(#"","msg":"#)
        output.appendLogQuoted(record.message)
        if includesCaller {
            output.append(#","caller":"#)
            output.appendLogQuoted(record.caller.description)
        }
        record.fields.forEachWritten(reserved: Self.reserved) { key, value in
            output.append(UInt8(ascii: ","))
            output.appendLogQuoted(key)
            output.append(UInt8(ascii: ":"))
            switch value {
            case .string(let text): output.appendLogQuoted(text)
            case .int(let number): output.appendDecimal(number)
            case .bool(let flag): output.append(flag ? "true" : "false")
            case .double(let number):
                if number.isFinite {
                    output.append(utf8Of: number.description)
                } else {
                    output.appendLogQuoted(number.logText)
                }
            }
        }
        output.append("}\n")
    }

    private static func beginning(_ level: LogLevel) -> StaticString {
        switch level {
        case .debug: #"{"level":"debug","ts":""#
        case .info: #"{"level":"info","ts":""#
        case .warn: #"{"level":"warn","ts":""#
        case .error: #"{"level":"error","ts":""#
        }
    }
}

extension Double {
    /// The number as text, with Prometheus' names for non-finite numbers.
    var logText: String {
        if isNaN { return "NaN" }
        if isInfinite { return self < 0 ? "-Inf" : "+Inf" }
        return description
    }
}

/// Formats a record as one line of text.
package protocol LogFormatter: Sendable {
    /// Appends a record as exactly one line of UTF-8 with its line feed, whatever the record contains.
    func append(_ record: LogRecord, to output: inout [UInt8])
}
