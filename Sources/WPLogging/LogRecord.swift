// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// One thing that was logged.
public struct LogRecord: Sendable {
    /// When it happened.
    public var time: Date
    /// How much it matters.
    public var level: LogLevel
    /// What happened: a constant sentence without values, so that it can be searched for.
    public var message: String
    /// The values, in the order that they were given.
    public var fields: LogFields
    /// Where in the source it was logged.
    public var caller: Caller

    /// Creates a record.
    package init(time: Date, level: LogLevel, message: String, fields: LogFields, caller: Caller) {
        self.time = time
        self.level = level
        self.message = message
        self.fields = fields
        self.caller = caller
    }

    /// A place in the source.
    public struct Caller: Sendable, Hashable {
        /// `Module/File.swift`, as `#fileID` gives it.
        public var fileID: String
        /// The line, from 1.
        public var line: UInt

        /// Creates a place.
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

/// Takes records and writes them somewhere. It is called from any thread, must not block for long and must not log.
public protocol LogHandler: Sendable {
    /// Takes one record.
    func handle(_ record: LogRecord)

    /// Writes out everything received so far.
    func flush()
}
