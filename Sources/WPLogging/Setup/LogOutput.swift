// SPDX-License-Identifier: MIT

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The handler of a logging system, which can be replaced at run time.
final class LogOutput: LogHandler {
    /// A handler and its components.
    struct Components: Sendable {
        let configuration: LoggingConfiguration
        let handler: StreamLogHandler
        let sink: any LogSink
        let file: RotatingFileSink?
    }

    private struct State {
        var components: Components
        /// Records lost by replaced handlers.
        var lost = 0
    }

    private let state: Mutex<State>

    init(_ components: Components) {
        state = Mutex(State(components: components))
    }

    var components: Components { state.withLock { $0.components } }

    var lostRecords: Int { state.withLock { $0.lost + $0.components.handler.lostRecords } }

    func handle(_ record: LogRecord) {
        components.handler.handle(record)
    }

    func flush() {
        components.handler.flush()
    }

    func replace(with components: Components) {
        let old = state.withLock { state in
            defer {
                state.lost += state.components.handler.lostRecords
                state.components = components
            }
            return state.components
        }
        old.handler.flush()
    }
}

extension LogOutput.Components {
    /// Opens the output of a configuration.
    /// - Parameter current: the current components; an unchanged output is reused.
    init(
        _ configuration: LoggingConfiguration,
        environment: [String: String],
        current: LogOutput.Components? = nil
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
                    usesColors: ConsoleLogFormatter.shouldUseColors(isTerminal: isTerminal, environment: environment),
                    includesCaller: configuration.enableCaller
                )
            }
        handler = StreamLogHandler(formatter: formatter, sink: sink, stackTraces: configuration.enableStacktrace)
        self.configuration = configuration
    }

    /// Logs the errors of a file sink with its own handler.
    func reportProblems(_ threshold: LogThreshold) {
        // Weak, because the handler owns the sink.
        file?.onProblem { [weak handler] problem in
            guard let handler else { return }
            Logger(handler: handler, threshold: threshold)
                .warn("Log file needs attention", ["error": .string(problem.description)])
        }
    }
}
