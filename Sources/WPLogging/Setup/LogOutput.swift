// SPDX-License-Identifier: MIT

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The handler of a logging system: what its configuration asks for, which may change while the program runs.
final class LogOutput: LogHandler {
    /// A handler and what it is made of.
    struct Parts: Sendable {
        let configuration: LoggingConfiguration
        let handler: StreamLogHandler
        let sink: any LogSink
        let file: RotatingFileSink?
    }

    private struct State {
        var parts: Parts
        /// Lost by handlers that were replaced.
        var lost = 0
    }

    private let state: Mutex<State>

    init(_ parts: Parts) {
        state = Mutex(State(parts: parts))
    }

    var parts: Parts { state.withLock { $0.parts } }

    var lostRecords: Int { state.withLock { $0.lost + $0.parts.handler.lostRecords } }

    func handle(_ record: LogRecord) {
        parts.handler.handle(record)
    }

    func flush() {
        parts.handler.flush()
    }

    func replace(with parts: Parts) {
        let old = state.withLock { state in
            defer {
                state.lost += state.parts.handler.lostRecords
                state.parts = parts
            }
            return state.parts
        }
        old.handler.flush()
    }
}

extension LogOutput.Parts {
    /// Opens what a configuration asks for.
    /// - Parameter current: what is open already; an output that stays the same is kept as it is.
    init(
        _ configuration: LoggingConfiguration,
        environment: [String: String],
        current: LogOutput.Parts? = nil
    ) throws(LogSinkError) {
        var isTerminal = false
        if let current, current.configuration.output == configuration.output,
            current.file == nil || current.configuration.rotation == configuration.rotation
        {
            sink = current.sink
            file = current.file
        } else if case .file(let path) = configuration.output {
            let rotating = try RotatingFileSink(path: path, rotation: configuration.rotation)
            file = rotating
            sink = rotating
        } else {
            file = nil
            sink = configuration.output == .standardError ? DescriptorSink.standardError() : .standardOutput()
        }
        switch configuration.output {
        case .standardOutput: isTerminal = isatty(STDOUT_FILENO) == 1
        case .standardError: isTerminal = isatty(STDERR_FILENO) == 1
        case .file: break
        }
        let formatter: any LogFormatter =
            switch configuration.format {
            case .json:
                JSONLogFormatter(includesCaller: configuration.enableCaller)
            case .console:
                ConsoleLogFormatter(
                    usesColors: ConsoleLogFormatter.suitsColors(isTerminal: isTerminal, environment: environment),
                    includesCaller: configuration.enableCaller
                )
            }
        handler = StreamLogHandler(formatter: formatter, sink: sink, stackTraces: configuration.enableStacktrace)
        self.configuration = configuration
    }

    /// Has a file's troubles logged by its own handler.
    func reportProblems(_ threshold: LogThreshold) {
        // Weakly: the handler owns the sink, which would own the handler.
        file?.onProblem { [weak handler] problem in
            guard let handler else { return }
            Logger(handler: handler, threshold: threshold)
                .warn("Log file needs attention", ["error": .string(problem.description)])
        }
    }
}
