// SPDX-License-Identifier: MIT

public import WPCore

/// A logger: a handler, a threshold, and the fields of all its records.
///
/// A record below the threshold costs one comparison: its message and fields are not evaluated. Handlers run on the
/// calling thread.
public struct Logger: Sendable {
    /// The levels of this logger and all loggers derived from the same one.
    public let levels: LogThreshold

    private let handler: any LogHandler
    /// The threshold of this logger's module.
    private let threshold: LogThreshold
    private let context: LogFields
    private let timeSource: any TimeSource

    /// Creates a logger.
    /// - Parameters:
    ///   - handler: the handler of the records.
    ///   - threshold: the minimum level that is logged; see ``levels``.
    ///   - context: the first fields of every record, before those of ``LogContext``.
    ///   - timeSource: the clock of records.
    public init(
        handler: any LogHandler,
        threshold: LogThreshold = LogThreshold(.info),
        context: LogFields = LogFields(),
        timeSource: any TimeSource = .system
    ) {
        self.init(handler: handler, levels: threshold, threshold: threshold, context: context, timeSource: timeSource)
    }

    private init(
        handler: any LogHandler,
        levels: LogThreshold,
        threshold: LogThreshold,
        context: LogFields,
        timeSource: any TimeSource
    ) {
        self.handler = handler
        self.levels = levels
        self.threshold = threshold
        self.context = context
        self.timeSource = timeSource
    }

    /// A logger that discards everything.
    public static var silent: Logger { Logger(handler: SilentLogHandler()) }

    /// This logger with additional fields.
    public func with(_ fields: LogFields) -> Logger {
        with(fields, threshold: threshold)
    }

    /// This logger for a module: with the field `module` and the module's level, instead of those of an earlier call.
    /// - Parameter module: the name, from a small set; names are never freed.
    public func named(_ module: String) -> Logger {
        with(["module": .string(module)], threshold: levels.threshold(of: module))
    }

    private func with(_ fields: LogFields, threshold: LogThreshold) -> Logger {
        Logger(
            handler: handler,
            levels: levels,
            threshold: threshold,
            context: context.followed(by: fields),
            timeSource: timeSource
        )
    }

    /// Whether a record of this level would be logged.
    public func isEnabled(_ level: LogLevel) -> Bool {
        threshold.admits(level)
    }

    /// Logs details for debugging.
    public func debug(
        _ message: @autoclosure () -> String,
        _ fields: @autoclosure () -> LogFields = LogFields(),
        fileID: String = #fileID,
        line: UInt = #line
    ) {
        log(.debug, message(), fields(), fileID: fileID, line: line)
    }

    /// Logs a start, a stop or a change of state.
    public func info(
        _ message: @autoclosure () -> String,
        _ fields: @autoclosure () -> LogFields = LogFields(),
        fileID: String = #fileID,
        line: UInt = #line
    ) {
        log(.info, message(), fields(), fileID: fileID, line: line)
    }

    /// Logs an unexpected condition that the program handles.
    public func warn(
        _ message: @autoclosure () -> String,
        _ fields: @autoclosure () -> LogFields = LogFields(),
        fileID: String = #fileID,
        line: UInt = #line
    ) {
        log(.warn, message(), fields(), fileID: fileID, line: line)
    }

    /// Logs a failure that needs attention.
    public func error(
        _ message: @autoclosure () -> String,
        _ fields: @autoclosure () -> LogFields = LogFields(),
        fileID: String = #fileID,
        line: UInt = #line
    ) {
        log(.error, message(), fields(), fileID: fileID, line: line)
    }

    /// Logs at a level chosen at run time.
    public func log(
        _ level: LogLevel,
        _ message: @autoclosure () -> String,
        _ fields: @autoclosure () -> LogFields = LogFields(),
        fileID: String = #fileID,
        line: UInt = #line
    ) {
        guard threshold.admits(level) else { return }
        handler.handle(
            LogRecord(
                time: timeSource.now.wall,
                level: level,
                message: message(),
                fields: LogContext.joined(context, fields()),
                caller: LogRecord.Caller(fileID: fileID, line: line)
            )
        )
    }

    /// Writes out everything logged so far.
    public func flush() {
        handler.flush()
    }
}

private struct SilentLogHandler: LogHandler {
    func handle(_ record: LogRecord) {}
    func flush() {}
}
