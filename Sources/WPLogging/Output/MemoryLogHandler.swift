// SPDX-License-Identifier: MIT

import Synchronization

/// Keeps records instead of writing them, for tests of code that logs.
///
/// ```swift
/// let log = MemoryLogHandler()
/// refuel(logger: log.logger)
/// #expect(log.messages(.warn) == ["The tank leaks"])
/// ```
public final class MemoryLogHandler: LogHandler {
    private let capacity: Int
    private let kept = Mutex<[LogRecord]>([])

    /// Creates an empty handler.
    /// - Parameter capacity: the maximum number of records, at least 1; the oldest are dropped.
    public init(capacity: Int = 100_000) {
        self.capacity = max(capacity, 1)
    }

    /// A logger that writes to this handler, at level debug.
    public var logger: Logger { Logger(handler: self, threshold: LogThreshold(.debug)) }

    /// The records, oldest first.
    public var records: [LogRecord] { kept.withLock { $0 } }

    /// The messages at a level or above, oldest first.
    public func messages(_ level: LogLevel = .debug) -> [String] {
        records.filter { $0.level >= level }.map(\.message)
    }

    /// Whether any record contains a string, to test that a secret is not logged.
    public func mentions(_ text: String) -> Bool {
        records.contains { record in
            record.message.contains(text)
                || record.fields.all.contains { "\($0.key) \($0.value)".contains(text) }
        }
    }

    /// Stores a record.
    public func handle(_ record: LogRecord) {
        kept.withLock { records in
            if records.count == capacity { records.removeFirst() }
            records.append(record)
        }
    }

    /// Does nothing.
    public func flush() {}
}
