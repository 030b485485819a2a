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
    private struct State {
        var records: [LogRecord] = []
        var dropped = 0
    }

    private let capacity: Int
    private let state = Mutex(State())

    /// Creates an empty handler.
    /// - Parameter capacity: the maximum number of records, at least 1; the oldest are dropped.
    public init(capacity: Int = 100_000) {
        self.capacity = max(capacity, 1)
    }

    /// A logger that writes to this handler, at level debug.
    public var logger: Logger { Logger(handler: self, threshold: LogThreshold(.debug)) }

    /// The records, oldest first.
    public var records: [LogRecord] { state.withLock { $0.records } }

    /// The number of dropped records.
    package var droppedRecords: Int { state.withLock { $0.dropped } }

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
        state.withLock { state in
            state.records.append(record)
            guard state.records.count > capacity else { return }
            // Drops many at once, so that a full handler does not move all records each time.
            let surplus = max(1, min(capacity / 16, state.records.count - 1))
            state.records.removeFirst(surplus)
            state.dropped += surplus
        }
    }

    /// Does nothing.
    public func flush() {}
}
