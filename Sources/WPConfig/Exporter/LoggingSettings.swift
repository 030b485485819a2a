// SPDX-License-Identifier: MIT

/// What is logged, and where: `logging.*`.
package struct LoggingSettings: Sendable, Hashable {
    /// The minimum level.
    package enum Level: String, Sendable, Hashable, CaseIterable {
        /// Every exchange and decision.
        case debug
        /// Starts, stops and changes.
        case info
        /// What needs attention.
        case warn
        /// What failed.
        case error
    }

    /// A part of the program that logs under a name of its own.
    package enum Module: String, Sendable, Hashable, CaseIterable {
        /// The client of the WinPower API.
        case client
        /// The collection cycles and their results.
        case collector
        /// The energy totals.
        case energy
        /// The handlers of requests.
        case http
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
    package enum Format: String, Sendable, Hashable, CaseIterable {
        /// One JSON object per line.
        case json
        /// One line for people.
        case console
    }

    /// Where records go.
    package enum Output: Sendable, Hashable {
        /// The standard output.
        case stdout
        /// The standard error.
        case stderr
        /// A file, which is rotated.
        case file(String)
    }

    /// The minimum level.
    package var level: Level = .info
    /// Other minimum levels for single modules.
    package var levels = ModuleLevels()
    /// The format of a record.
    package var format: Format = .json
    /// Where records go.
    package var output: Output = .stdout
    /// The size at which a log file is rotated, in MB.
    package var maxSize = 100
    /// The number of days that a rotated file is kept; 0 is forever.
    package var maxAge = 7
    /// The number of rotated files that are kept; 0 is all.
    package var maxBackups = 3
    /// Whether rotated files are compressed.
    package var compress = true
    /// Whether records name the line of code.
    package var enableCaller = false
    /// Whether errors come with a stack trace.
    package var enableStacktrace = false

    /// The defaults.
    package init() {}
}
