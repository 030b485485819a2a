// SPDX-License-Identifier: MIT

/// Turns a record into one line of text.
public protocol LogFormatter: Sendable {
    /// Appends a record as exactly one line of UTF-8, its line feed included, whatever the record's texts hold.
    func append(_ record: LogRecord, to output: inout [UInt8])
}
