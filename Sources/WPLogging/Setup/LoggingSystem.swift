// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A logger for a configuration, with reconfiguration, reopening and flushing.
public struct LoggingSystem: Sendable {
    /// The configured logger.
    public let logger: Logger
    /// The minimum level of ``logger`` and all loggers derived from it; set it to change the level.
    public let threshold: LogThreshold

    private let output: LogOutput
    private let environment: [String: String]

    /// Opens the output.
    /// - Parameters:
    ///   - configuration: the configuration.
    ///   - environment: the environment variables; `NO_COLOR` and `TERM` control colours on a terminal.
    /// - Throws: ``LogSinkError`` with ``LogSinkError/Code/open`` if the file cannot be opened.
    public init(
        _ configuration: LoggingConfiguration,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(LogSinkError) {
        self.environment = environment.filter { ["NO_COLOR", "TERM"].contains($0.key) }
        let components = try LogOutput.Components(configuration, environment: self.environment)
        output = LogOutput(components)
        threshold = LogThreshold(configuration.level, modules: configuration.moduleLevels)
        logger = Logger(handler: output, threshold: threshold)
        components.reportProblems(threshold)
    }

    /// Prepares another configuration without applying it.
    /// - Returns: a function that applies it to all loggers derived from ``logger``, without losing records. It cannot
    ///   fail.
    /// - Throws: ``LogSinkError`` with ``LogSinkError/Code/open`` if the file cannot be opened.
    public func change(to configuration: LoggingConfiguration) throws(LogSinkError) -> @Sendable () -> Void {
        let components = try LogOutput.Components(configuration, environment: environment, current: output.components)
        return { [threshold, output] in
            threshold.set(configuration.level, modules: configuration.moduleLevels)
            output.replace(with: components)
            components.reportProblems(threshold)
        }
    }

    /// Reopens a log file after another program has renamed it, as logrotate does. Does nothing for standard output and
    /// standard error.
    /// - Throws: ``LogSinkError`` with ``LogSinkError/Code/open``; records are then still written to the old file.
    public func reopen() throws(LogSinkError) {
        try output.components.sink.reopen()
    }

    /// Writes out everything logged so far. Call it before the process ends.
    public func flush() {
        output.flush()
    }

    /// Blocks the thread until all backups are compressed and pruned.
    package func waitForBackups() {
        output.components.file?.waitForBackups()
    }

    /// The number of records lost since the start because the output failed.
    public var lostRecords: Int { output.lostRecords }
}
