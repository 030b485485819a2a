// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A log record.
public struct LogRecord: Sendable {
    /// The time of the event.
    public var time: Date
    /// The severity.
    public var level: LogLevel
    /// What happened: a constant string without values, so that it can be searched for.
    public var message: String
    /// The fields, in order.
    public var fields: LogFields
    /// The source location of the log call.
    public var caller: Caller

    /// Creates a record.
    package init(time: Date, level: LogLevel, message: String, fields: LogFields, caller: Caller) {
        self.time = time
        self.level = level
        self.message = message
        self.fields = fields
        self.caller = caller
    }

    /// A source location.
    public struct Caller: Sendable, Hashable {
        /// `Module/File.swift`, from `#fileID`.
        public var fileID: String
        /// The line, from 1.
        public var line: UInt

        /// Creates a location.
        package init(fileID: String, line: UInt) {
            self.fileID = fileID
            self.line = line
        }
    }
}

extension LogRecord.Caller: CustomStringConvertible {
    /// `Module/File.swift:12`.
    public var description: String { "\(fileID):\(line)" }
}

/// Writes log records. Called from any thread; must neither block for long nor log.
public protocol LogHandler: Sendable {
    /// Handles a record.
    func handle(_ record: LogRecord)

    /// Writes out everything received so far.
    func flush()
}
