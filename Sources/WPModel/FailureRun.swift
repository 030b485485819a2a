// SPDX-License-Identifier: MIT

/// Consecutive failed readings.
public struct FailureRun: Sendable, Hashable {
    /// The kind of the latest failure.
    public var reason: FailureReason
    /// The latest failure in one sentence.
    public var message: String
    /// When the first reading of the run failed.
    public var since: TimePoint
    /// The number of failed readings, whatever their reasons; at least 1.
    public var count: Int

    /// Creates a run.
    package init(reason: FailureReason, message: String, since: TimePoint, count: Int) {
        self.reason = reason
        self.message = message
        self.since = since
        self.count = count
    }
}
