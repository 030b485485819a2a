// SPDX-License-Identifier: MIT

/// The waits between attempts while a hub fails. They double up to a limit, and are spread at random, so that senders
/// whose hub was away do not all come back at once.
struct BackOff: Sendable {
    /// The longest wait that a sender chooses by itself.
    static let maximum = Duration.seconds(60)
    /// The longest wait that a hub can ask for.
    static let maximumRetryAfter = Duration.seconds(3600)
    private static let minimum = Duration.milliseconds(100)

    private let initial: Duration
    private var failures = 0

    /// - Parameter initial: the longest wait after the first failure; less than 100 ms counts as 100 ms.
    init(initial: Duration) {
        self.initial = max(initial, Self.minimum)
    }

    /// The wait after another failure.
    /// - Parameters:
    ///   - retryAfter: what the hub asked for, if it did.
    ///   - random: 0 to 1, new for each wait.
    mutating func next(retryAfter: Duration?, random: Double) -> Duration {
        var wait = initial
        for _ in 0..<failures where wait < Self.maximum { wait = wait * 2 }
        failures = min(failures + 1, 64)
        wait = min(wait, max(Self.maximum, initial)) * (0.5 + random / 2)
        guard let retryAfter else { return wait }
        return max(wait, min(retryAfter, Self.maximumRetryAfter) * (1 + random / 10))
    }

    /// Begins again with the shortest wait: the hub has answered as it should.
    mutating func reset() {
        failures = 0
    }
}
