// SPDX-License-Identifier: MIT

import WPLogging

/// Limits the log records of each kind per minute, because peers can cause any number of them. The next record contains
/// the number of suppressed ones.
struct LimitedLog {
    enum Key: Hashable {
        case malformed
        case rejected
        case displaced
        case exhausted
        case handler
        case unauthorized
        case handshake

        /// One is enough for a persistent condition; the others are separate events.
        var recordsPerWindow: Int {
            switch self {
            case .rejected, .displaced, .exhausted: 1
            case .malformed, .handler, .unauthorized, .handshake: 10
            }
        }
    }

    private struct Window {
        var start: Duration
        var count = 0
        var suppressed = 0
    }

    static let window = Duration.seconds(60)

    private let logger: Logger
    private var windows: [Key: Window] = [:]

    init(_ logger: Logger) {
        self.logger = logger
    }

    /// Logs a record with the number of records suppressed since the last one, unless the limit of its kind is reached.
    mutating func record(
        _ key: Key,
        at now: Duration,
        _ level: LogLevel,
        _ message: String,
        _ fields: @autoclosure () -> LogFields
    ) {
        var window = windows[key] ?? Window(start: now)
        if now - window.start >= Self.window {
            window.start = now
            window.count = 0
        }
        if window.count < key.recordsPerWindow {
            window.count += 1
            var fields = fields()
            fields.append("suppressed", .int(window.suppressed))
            logger.log(level, message, fields)
            window.suppressed = 0
        } else {
            window.suppressed += 1
        }
        windows[key] = window
    }
}
