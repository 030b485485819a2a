// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
public import FoundationEssentials
#else
public import Foundation
#endif

/// What code logs with: a handler, a threshold, and the fields that every record of this logger carries.
///
/// A record below the threshold costs one comparison: neither its message nor its fields are built. Handlers are called
/// on the thread that logs.
public struct Logger: Sendable {
    /// The levels that are logged, by this logger and all that come from the same one.
    public let levels: LogThreshold

    private let handler: any LogHandler
    /// What holds for this logger's name.
    private let threshold: LogThreshold
    private let context: LogFields
    private let now: @Sendable () -> Date

    /// Creates a logger.
    /// - Parameters:
    ///   - handler: where the records go.
    ///   - threshold: the least level that is logged; see ``levels``.
    ///   - context: fields that every record begins with; then come those of ``LogContext``.
    ///   - now: the wall-clock time that records carry.
    public init(
        handler: any LogHandler,
        threshold: LogThreshold = LogThreshold(.info),
        context: LogFields = LogFields(),
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.init(handler: handler, levels: threshold, threshold: threshold, context: context, now: now)
    }

    private init(
        handler: any LogHandler,
        levels: LogThreshold,
        threshold: LogThreshold,
        context: LogFields,
        now: @escaping @Sendable () -> Date
    ) {
        self.handler = handler
        self.levels = levels
        self.threshold = threshold
        self.context = context
        self.now = now
    }

    /// A logger that drops everything.
    public static var silent: Logger { Logger(handler: SilentLogHandler()) }

    /// This logger with more fields on every record.
    public func with(_ fields: LogFields) -> Logger {
        with(fields, threshold: threshold)
    }

    /// This logger with the part of the program that it speaks for, as the field `module`, and with the level that is
    /// set for it. The last name given counts.
    /// - Parameter module: one of few names, which are kept.
    public func named(_ module: String) -> Logger {
        with(["module": .string(module)], threshold: levels.threshold(of: module))
    }

    private func with(_ fields: LogFields, threshold: LogThreshold) -> Logger {
        Logger(
            handler: handler,
            levels: levels,
            threshold: threshold,
            context: context.followed(by: fields),
            now: now
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

    /// Logs something that is not as it should be and that the program copes with.
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

    /// Logs at a level that is known only when the program runs.
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
                time: now(),
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
