// SPDX-License-Identifier: MIT

/// The delays between attempts while a hub fails. They double up to a limit, with jitter, so that senders do not all
/// return at the same time.
struct BackOff: Sendable {
    /// The maximum delay chosen by the sender.
    static let maximum = Duration.seconds(60)
    /// The maximum delay that a hub can request.
    static let maximumRetryAfter = Duration.seconds(3600)
    private static let minimum = Duration.milliseconds(100)

    private let initial: Duration
    private var current: Duration

    /// - Parameter initial: the maximum delay after the first failure, at least 100 ms.
    init(initial: Duration) {
        self.initial = max(initial, Self.minimum)
        current = self.initial
    }

    /// The delay after another failure.
    /// - Parameters:
    ///   - retryAfter: the delay requested by the hub, if any.
    ///   - random: a new random number from 0 to 1.
    mutating func next(retryAfter: Duration?, random: Double) -> Duration {
        let wait = current * (0.5 + random / 2)
        current = min(current * 2, max(Self.maximum, initial))
        guard let retryAfter else { return wait }
        return max(wait, min(retryAfter, Self.maximumRetryAfter) * (1 + random / 10))
    }

    /// Resets to the shortest delay after a success.
    mutating func reset() {
        current = initial
    }
}
