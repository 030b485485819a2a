// SPDX-License-Identifier: MIT

/// Rate-limits log records that peers can cause: a number per kind and minute; the next one reports the suppressed
/// count.
struct LimitedLog {
    enum Key: Hashable {
        case malformed
        case refused
        case displaced
        case exhausted
        case handler
        case unauthorized
        case handshake

        /// A lasting state needs one record; others may be separate cases.
        var recordsPerWindow: Int {
            switch self {
            case .refused, .displaced, .exhausted: 1
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

    private var windows: [Key: Window] = [:]

    /// Logs, unless the limit of the kind is reached.
    /// - Parameter log: receives the number suppressed since the last one.
    mutating func record(_ now: Duration, key: Key, _ log: (_ suppressed: Int) -> Void) {
        var window = windows[key] ?? Window(start: now)
        if now - window.start >= Self.window {
            window.start = now
            window.count = 0
        }
        if window.count < key.recordsPerWindow {
            window.count += 1
            log(window.suppressed)
            window.suppressed = 0
        } else {
            window.suppressed += 1
        }
        windows[key] = window
    }
}
