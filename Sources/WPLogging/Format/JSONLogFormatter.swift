// SPDX-License-Identifier: MIT

/// Writes a record as one JSON object on one line.
///
/// The keys `level`, `ts` (RFC 3339, UTC, milliseconds) and `msg` come first, then `caller` when wanted, then the fields
/// in order. Of a field that stands twice the last one is written; a field named like one of these four gets the prefix
/// `field_`. Numbers that JSON lacks are the texts `NaN`, `+Inf` and `-Inf`.
public struct JSONLogFormatter: LogFormatter {
    private static let reserved = ["level", "ts", "msg", "caller"]

    private let includesCaller: Bool

    /// Creates a formatter.
    /// - Parameter includesCaller: whether the key `caller` says where in the source it was logged, as
    ///   `Module/File.swift:12`.
    public init(includesCaller: Bool = false) {
        self.includesCaller = includesCaller
    }

    /// Appends a record.
    public func append(_ record: LogRecord, to output: inout [UInt8]) {
        output.append(contentsOf: #"{"level":""#.utf8)
        output.append(contentsOf: record.level.rawValue.utf8)
        output.append(contentsOf: #"","ts":""#.utf8)
        RFC3339.append(record.time, fraction: .milliseconds, to: &output)
        output.append(contentsOf: #"","msg":"#.utf8)
        output.appendQuoted(record.message)
        if includesCaller {
            output.append(contentsOf: #","caller":"#.utf8)
            output.appendQuoted(record.caller.description)
        }
        record.fields.forEachWritten(reserved: Self.reserved) { key, value in
            output.append(UInt8(ascii: ","))
            output.appendQuoted(key)
            output.append(UInt8(ascii: ":"))
            switch value {
            case .string(let text): output.appendQuoted(text)
            case .int(let number): output.append(contentsOf: String(number).utf8)
            case .bool(let flag): output.append(contentsOf: (flag ? "true" : "false").utf8)
            case .double(let number):
                if number.isFinite {
                    output.append(contentsOf: number.description.utf8)
                } else {
                    output.appendQuoted(number.logText)
                }
            }
        }
        output.append(contentsOf: "}\n".utf8)
    }
}

extension Double {
    /// The number as text, with the names for what is not finite that Prometheus uses.
    var logText: String {
        if isNaN { return "NaN" }
        if isInfinite { return self < 0 ? "-Inf" : "+Inf" }
        return description
    }
}
