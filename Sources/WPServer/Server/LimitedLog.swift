// SPDX-License-Identifier: MIT

import WPSockets

/// Holds what peers can cause to be logged to a bounded rate: a number of records per kind and minute, the next one saying how
/// many were left out.
struct LimitedLog {
    enum Key: Hashable {
        case malformed
        case refused
        case displaced
        case exhausted
        case handler
        case unauthorized
        case handshake

        /// A state that lasts is worth one record; each of the others may be a case of its own.
        var recordsPerWindow: Int {
            switch self {
            case .refused, .displaced, .exhausted: 1
            case .malformed, .handler, .unauthorized, .handshake: 10
            }
        }
    }

    private struct Window {
        var start: MonotonicInstant
        var count = 0
        var suppressed = 0
    }

    static let window = Duration.seconds(60)

    private var windows: [Key: Window] = [:]

    /// Logs, unless too much of the kind was logged lately.
    /// - Parameter log: gets how many were left out since the last one.
    mutating func record(_ now: MonotonicInstant, key: Key, _ log: (_ suppressed: Int) -> Void) {
        var window = windows[key] ?? Window(start: now)
        if now.since(window.start) >= Self.window {
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
