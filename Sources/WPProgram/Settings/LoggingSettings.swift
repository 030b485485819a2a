// SPDX-License-Identifier: MIT

import WPSettings

/// Logging: `logging.*`.
public struct LoggingSettings: Sendable, Hashable {
    /// The minimum level.
    public enum Level: String, Sendable, Hashable, CaseIterable {
        /// Every exchange and decision.
        case debug
        /// Starts, stops and changes of state.
        case info
        /// Events that need attention.
        case warn
        /// Failures.
        case error
    }

    /// A component that logs under its own name.
    package enum Module: String, Sendable, Hashable, CaseIterable {
        /// The client of the WinPower API.
        case client
        /// The collection cycles and their results.
        case collector
        /// The energy totals.
        case energy
        /// The handlers of requests.
        case http
        /// The sessions of PostgreSQL.
        case postgres
        /// The snapshots that a node sends to a hub.
        case push
        /// The queries of the SQL exporter.
        case queries
        /// The timer of the collection cycles.
        case scheduler
        /// Connections and requests.
        case server
        /// The settings and their reload.
        case settings
        /// The files of the energy totals.
        case storage

        static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
    }

    /// The format of a record.
    public enum Format: String, Sendable, Hashable, CaseIterable {
        /// One JSON object per line.
        case json
        /// One human-readable line.
        case console
    }

    /// The destination of records.
    public enum Output: Sendable, Hashable {
        /// The standard output.
        case stdout
        /// The standard error.
        case stderr
        /// A file, which is rotated.
        case file(String)
    }

    /// The minimum level.
    public var level: Level = .info
    /// Minimum levels of individual modules.
    package var levels = ModuleLevels()
    /// The format of a record.
    public var format: Format = .json
    /// The destination of records.
    public var output: Output = .stdout
    /// The size at which a log file is rotated, in MB.
    package var maxSize = 100
    /// The number of days that a rotated file is kept; 0 for forever.
    package var maxAge = 7
    /// The number of rotated files that are kept; 0 for all.
    package var maxBackups = 3
    /// Whether rotated files are compressed.
    package var compress = true
    /// Whether records include the source location.
    package var enableCaller = false
    /// Whether errors include a stack trace.
    package var enableStacktrace = false

    /// The defaults.
    public init() {}
}
