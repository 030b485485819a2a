// SPDX-License-Identifier: MIT

/// How much a log record matters.
public enum LogLevel: String, Sendable, Hashable, CaseIterable, Comparable {
    /// For debugging: every exchange, every decision.
    case debug
    /// What an operator wants to know afterwards: starts, stops, changes of state.
    case info
    /// Something is not as it should be, and the program copes.
    case warn
    /// Something failed and needs attention.
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
