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

    /// Creates a handler that holds nothing.
    /// - Parameter capacity: how many records it keeps, at least 1; the oldest ones go.
    public init(capacity: Int = 100_000) {
        self.capacity = max(capacity, 1)
    }

    /// A logger that writes here, from debug up.
    public var logger: Logger { Logger(handler: self, threshold: LogThreshold(.debug)) }

    /// What was logged, the oldest first.
    public var records: [LogRecord] { state.withLock { $0.records } }

    /// How many records had to go.
    package var droppedRecords: Int { state.withLock { $0.dropped } }

    /// The messages that were logged at a level or above, the oldest first.
    public func messages(_ level: LogLevel = .debug) -> [String] {
        records.filter { $0.level >= level }.map(\.message)
    }

    /// Whether a text stands anywhere in what was logged: for tests that a secret does not.
    public func mentions(_ text: String) -> Bool {
        records.contains { record in
            record.message.contains(text)
                || record.fields.all.contains { "\($0.key) \($0.value)".contains(text) }
        }
    }

    /// Keeps a record.
    public func handle(_ record: LogRecord) {
        state.withLock { state in
            state.records.append(record)
            guard state.records.count > capacity else { return }
            // Many at once, so that a full handler does not move all records for each.
            let surplus = max(1, min(capacity / 16, state.records.count - 1))
            state.records.removeFirst(surplus)
            state.dropped += surplus
        }
    }

    /// Does nothing.
    public func flush() {}
}
