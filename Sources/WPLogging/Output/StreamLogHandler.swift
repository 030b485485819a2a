// SPDX-License-Identifier: MIT

import Synchronization
package import WPCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension Logger {
    /// A logger at level info that passes each record as one JSON object to a function, for custom outputs.
    /// - Parameter write: receives a line of UTF-8 with its line feed. Called from any thread; must neither block for
    ///   long nor log.
    public static func json(writingTo write: @escaping @Sendable ([UInt8]) -> Void) -> Logger {
        Logger(handler: StreamLogHandler(formatter: JSONLogFormatter(), sink: FunctionSink(receive: write)))
    }
}

private struct FunctionSink: LogSink {
    let receive: @Sendable ([UInt8]) -> Void

    func write(_ line: [UInt8]) { receive(line) }
}

/// Formats every record and writes it to a sink immediately.
///
/// Lines that the sink cannot write are counted. After the next successful line, one record reports how many were lost,
/// since when and why.
package final class StreamLogHandler: LogHandler {
    private struct Loss {
        var count: Int
        var since: Date
        var reason: String
    }

    private let formatter: any LogFormatter
    private let sink: any LogSink
    private let stackTraces: Bool
    private let timeSource: any TimeSource
    private let loss = Mutex<Loss?>(nil)
    private let lost = Atomic<Int>(0)

    /// Creates a handler.
    /// - Parameters:
    ///   - formatter: the format of lines.
    ///   - sink: the destination of the lines.
    ///   - stackTraces: whether records of level error contain the field `stacktrace`: at most 32 frames, innermost
    ///     first. In async functions it begins at the last suspension.
    ///   - timeSource: the clock of loss records.
    package init(
        formatter: any LogFormatter,
        sink: any LogSink,
        stackTraces: Bool = false,
        timeSource: any TimeSource = .system
    ) {
        self.formatter = formatter
        self.sink = sink
        self.stackTraces = stackTraces
        self.timeSource = timeSource
    }

    /// The number of records lost since the start.
    package var lostRecords: Int { lost.load(ordering: .relaxed) }

    /// Writes a record.
    package func handle(_ record: LogRecord) {
        do throws(LogSinkError) {
            if stackTraces, record.level >= .error, let trace = CallStack.text() {
                var record = record
                record.fields.append("stacktrace", .string(trace))
                try write(record)
            } else {
                try write(record)
            }
        } catch {
            lost.wrappingAdd(1, ordering: .relaxed)
            keep(Loss(count: 1, since: record.time, reason: error.reason))
            return
        }
        reportLoss()
    }

    /// Flushes the sink.
    package func flush() {
        sink.flush()
    }

    private func write(_ record: LogRecord) throws(LogSinkError) {
        var line: [UInt8] = []
        formatter.append(record, to: &line)
        try sink.write(line)
    }

    private func keep(_ new: Loss) {
        loss.withLock { loss in
            guard let old = loss else {
                loss = new
                return
            }
            loss = Loss(count: old.count + new.count, since: min(old.since, new.since), reason: new.reason)
        }
    }

    private func reportLoss() {
        let reported = loss.withLock { loss in
            defer { loss = nil }
            return loss
        }
        guard let reported else { return }
        let record = LogRecord(
            time: timeSource.now.wall,
            level: .warn,
            message: "Log records were lost",
            fields: [
                "count": .int(reported.count), "since": .string(RFC3339.string(reported.since)),
                "error": .string(reported.reason),
            ],
            caller: LogRecord.Caller(fileID: #fileID, line: #line)
        )
        do throws(LogSinkError) {
            try write(record)
        } catch {
            keep(reported)
        }
    }
}
