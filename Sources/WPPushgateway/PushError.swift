// SPDX-License-Identifier: MIT

/// Why a push or a delete had no effect, or may have had none.
public struct PushError: Error, Sendable, CustomStringConvertible {
    /// What kind of failure it is.
    public enum Code: Sendable, Hashable {
        /// The group has no job, or a label that it cannot have.
        case invalidGroup
        /// The metrics cannot be pushed: a collector failed, or a metric has a timestamp or a label of the group.
        /// Nothing was sent.
        case invalidMetrics
        /// The gateway or something before it answered with this status, which is no success.
        case refused(status: Int)
        /// No answer came: the gateway was not reached, or was lost on the way. It may have got the push.
        case unreachable
    }

    /// What kind of failure it is.
    public let code: Code
    /// The number of attempts; 0 when nothing was sent.
    package let attempts: Int
    /// The whole sentence: what failed, on which group, and why. Never holds credentials or metrics.
    public let description: String

    /// Creates an error.
    /// - Parameters:
    ///   - code: the kind of failure.
    ///   - attempts: the number of attempts.
    ///   - description: the whole sentence.
    package init(_ code: Code, attempts: Int = 0, _ description: String) {
        self.code = code
        self.attempts = attempts
        self.description = description
    }
}
