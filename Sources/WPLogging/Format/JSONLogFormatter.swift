// SPDX-License-Identifier: MIT

import WPCore

/// Formats a record as one JSON object on one line.
///
/// The keys `level`, `ts` (RFC 3339, UTC, milliseconds) and `msg` come first, then `caller` if enabled, then the fields
/// in order. Of duplicate fields, the last one is written; a field with one of these four names gets the prefix
/// `field_`. Non-finite numbers are written as the strings `NaN`, `+Inf` and `-Inf`.
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
        output += #"{"level":"\#(record.level.rawValue)","ts":""#.utf8
        RFC3339.append(record.time, fraction: .milliseconds, to: &output)
        output += #"","msg":"#.utf8
        output.appendLogQuoted(record.message)
        if includesCaller {
            output += #","caller":"#.utf8
            output.appendLogQuoted(record.caller.description)
        }
        for field in record.fields.written(reserved: Self.reserved) {
            output.append(UInt8(ascii: ","))
            output.appendLogQuoted(field.key)
            output.append(UInt8(ascii: ":"))
            switch field.value {
            case .string(let text): output.appendLogQuoted(text)
            case .int(let number): output.appendDecimal(number)
            case .bool(let flag): output += "\(flag)".utf8
            case .double(let number):
                if number.isFinite { output += number.description.utf8 } else { output.appendLogQuoted(number.logText) }
            }
        }
        output += "}\n".utf8
    }
}

extension Double {
    /// The number as text, with Prometheus's names for non-finite numbers.
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
