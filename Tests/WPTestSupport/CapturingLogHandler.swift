// SPDX-License-Identifier: MIT

import Synchronization
public import WPLogging

/// Keeps what is logged, for a test to look at.
public final class CapturingLogHandler: LogHandler {
    private let state = Mutex<[LogRecord]>([])

    /// Creates a handler that holds nothing.
    public init() {}

    /// A logger that writes here, from debug up.
    public var logger: Logger { Logger(handler: self, threshold: LogThreshold(.debug)) }

    /// Everything logged so far.
    public var records: [LogRecord] { state.withLock { $0 } }

    /// The messages logged so far at a level or above.
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
        state.withLock { $0.append(record) }
    }

    /// Does nothing.
    public func flush() {}
}
