// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// A logger made from a configuration, and what its owner does with it while the program runs.
public struct LoggingSystem: Sendable {
    /// Logs as configured.
    public let logger: Logger
    /// The minimum level that is logged by ``logger`` and all loggers made of it; set it to change the level.
    public let threshold: LogThreshold

    private let output: LogOutput
    private let environment: [String: String]

    /// Opens the output.
    /// - Parameters:
    ///   - configuration: what is logged, how and where to.
    ///   - environment: the process's environment; `NO_COLOR` and `TERM` decide about colours on a terminal.
    /// - Throws: ``LogSinkError`` with ``LogSinkError/Code/open``, which names the file that can't be written.
    public init(
        _ configuration: LoggingConfiguration,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(LogSinkError) {
        self.environment = environment.filter { ["NO_COLOR", "TERM"].contains($0.key) }
        let parts = try LogOutput.Parts(configuration, environment: self.environment)
        output = LogOutput(parts)
        threshold = LogThreshold(configuration.level, modules: configuration.moduleLevels)
        logger = Logger(handler: output, threshold: threshold)
        parts.reportProblems(threshold)
    }

    /// Makes another configuration ready and changes nothing yet.
    /// - Returns: what changes to it, for all loggers that come from ``logger``, losing no record. It can't fail.
    /// - Throws: ``LogSinkError`` with ``LogSinkError/Code/open``, which names the file that can't be written.
    public func change(to configuration: LoggingConfiguration) throws(LogSinkError) -> @Sendable () -> Void {
        let parts = try LogOutput.Parts(configuration, environment: environment, current: output.parts)
        return { [threshold, output] in
            threshold.set(configuration.level, modules: configuration.moduleLevels)
            output.replace(with: parts)
            parts.reportProblems(threshold)
        }
    }

    /// Reopens a log file after another program has renamed it, as for SIGUSR1 from logrotate. For standard output
    /// and standard error it does nothing.
    /// - Throws: ``LogSinkError`` with ``LogSinkError/Code/open``; records are then still written to the old file.
    public func reopen() throws(LogSinkError) {
        try output.parts.sink.reopen()
    }

    /// Writes out everything logged so far. Call it before the process ends.
    public func flush() {
        output.flush()
    }

    /// Waits until log files that were set aside are compressed and pruned. It blocks the thread.
    package func waitForBackups() {
        output.parts.file?.waitForBackups()
    }

    /// How many records were lost since the start because the output did not take them.
    public var lostRecords: Int { output.lostRecords }
}
