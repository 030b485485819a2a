// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A logger made from a configuration, and what its owner does with it while the program runs.
public struct LoggingSystem: Sendable {
    /// Logs as configured.
    public let logger: Logger
    /// The least level that is logged by ``logger`` and all loggers made of it; set it to change the level.
    public let threshold: LogThreshold

    private let handler: StreamLogHandler
    private let sink: any LogSink
    private let file: RotatingFileSink?

    /// Opens the output.
    /// - Parameters:
    ///   - configuration: what is logged, how and where to.
    ///   - environment: the process's environment; `NO_COLOR` and `TERM` decide about colours on a terminal.
    /// - Throws: ``LogSinkError`` with ``LogSinkError/Code/open``, which names the file that can't be written.
    public init(
        _ configuration: LoggingConfiguration,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) throws(LogSinkError) {
        let sink: any LogSink
        var file: RotatingFileSink?
        var isTerminal = false
        switch configuration.output {
        case .standardOutput:
            sink = DescriptorSink.standardOutput()
            isTerminal = isatty(STDOUT_FILENO) == 1
        case .standardError:
            sink = DescriptorSink.standardError()
            isTerminal = isatty(STDERR_FILENO) == 1
        case .file(let path):
            let rotating = try RotatingFileSink(path: path, rotation: configuration.rotation)
            file = rotating
            sink = rotating
        }
        let formatter: any LogFormatter
        switch configuration.format {
        case .json:
            formatter = JSONLogFormatter(includesCaller: configuration.enableCaller)
        case .console:
            formatter = ConsoleLogFormatter(
                usesColors: ConsoleLogFormatter.suitsColors(isTerminal: isTerminal, environment: environment),
                includesCaller: configuration.enableCaller
            )
        }
        let handler = StreamLogHandler(
            formatter: formatter,
            sink: sink,
            stackTraces: configuration.enableStacktrace
        )
        self.handler = handler
        self.sink = sink
        self.file = file
        threshold = LogThreshold(configuration.level)
        logger = Logger(handler: handler, threshold: threshold)

        // Weakly: the handler owns the sink, which would own the handler.
        file?.onProblem { [weak handler, threshold] problem in
            guard let handler else { return }
            Logger(handler: handler, threshold: threshold)
                .warn("Log file needs attention", ["error": .string(problem.description)])
        }
    }

    /// Opens a log file anew after something else has renamed it, as for SIGUSR1 from logrotate. For standard output
    /// and standard error it does nothing.
    /// - Throws: ``LogSinkError`` with ``LogSinkError/Code/open``; records then go on into the old file.
    public func reopen() throws(LogSinkError) {
        try sink.reopen()
    }

    /// Brings everything logged so far to where it belongs. Call it before the process ends.
    public func flush() {
        handler.flush()
    }

    /// Waits until log files that were set aside are compressed and pruned. It blocks the thread.
    public func waitForBackups() {
        file?.waitForBackups()
    }

    /// How many records were lost since the start because the output did not take them.
    public var lostRecords: Int { handler.lostRecords }
}
