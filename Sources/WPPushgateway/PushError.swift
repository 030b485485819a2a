// SPDX-License-Identifier: MIT

/// Why a push or a delete failed.
public struct PushError: Error, Sendable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Sendable, Hashable {
        /// The group has no job, or an invalid label.
        case invalidGroup
        /// The metrics cannot be pushed: a collector failed, or a metric has a timestamp or a label of the group.
        /// Nothing was sent.
        case invalidMetrics
        /// The gateway or a proxy answered with this status, which is not a success.
        case rejected(status: Int)
        /// No response: the gateway could not be reached, or the connection was lost. It may have received the push.
        case unreachable
    }

    /// The kind of failure.
    public let code: Code
    /// The number of attempts; 0 if nothing was sent.
    package let attempts: Int
    /// What failed, on which group, and why. Never contains credentials or metrics.
    public let description: String

    /// Creates an error.
    /// - Parameters:
    ///   - code: the kind of failure.
    ///   - attempts: the number of attempts.
    ///   - description: the full message.
    package init(_ code: Code, attempts: Int = 0, _ description: String) {
        self.code = code
        self.attempts = attempts
        self.description = description
    }
}
