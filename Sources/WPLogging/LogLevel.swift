// SPDX-License-Identifier: MIT

/// The severity of a log record.
public enum LogLevel: String, Sendable, Hashable, CaseIterable, Comparable {
    /// Debugging: every request and every decision.
    case debug
    /// Events for operators: starts, stops, changes of state.
    case info
    /// An unexpected condition that the program handles.
    case warn
    /// A failure that needs attention.
    case error

    var rank: UInt8 {
        switch self {
        case .debug: 0
        case .info: 1
        case .warn: 2
        case .error: 3
        }
    }

    init(rank: UInt8) {
        switch rank {
        case 0: self = .debug
        case 1: self = .info
        case 2: self = .warn
        default: self = .error
        }
    }

    /// Orders from ``debug`` up to ``error``.
    public static func < (lhs: LogLevel, rhs: LogLevel) -> Bool {
        lhs.rank < rhs.rank
    }
}
