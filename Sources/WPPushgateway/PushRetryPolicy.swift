// SPDX-License-Identifier: MIT

/// How often a push is attempted, and how long to wait between attempts.
///
/// Failures that may be temporary are retried: no answer, or one of the statuses 408, 429, 500, 502, 503 and 504. Every
/// push can be repeated without harm, POST included: the gateway replaces what it has of the same name.
public struct PushRetryPolicy: Sendable, Hashable {
    /// The maximum number of attempts, 1…100.
    package let maximumAttempts: Int
    /// The longest wait before the second attempt; it doubles with each attempt.
    package let firstDelay: Duration
    /// The longest wait.
    package let longestDelay: Duration

    /// One attempt.
    public static let never = PushRetryPolicy(maximumAttempts: 1)

    /// Creates a policy. Numbers out of range count as the nearest one within it.
    /// - Parameters:
    ///   - maximumAttempts: 1…100; default 4.
    ///   - firstDelay: the longest wait before the second attempt; it doubles with each attempt. Default 0.5 s.
    ///   - longestDelay: the longest wait. Default 15 s.
    public init(
        maximumAttempts: Int = 4,
        firstDelay: Duration = .milliseconds(500),
        longestDelay: Duration = .seconds(15)
    ) {
        self.maximumAttempts = min(max(maximumAttempts, 1), 100)
        self.firstDelay = max(firstDelay, .zero)
        self.longestDelay = max(longestDelay, .zero)
    }

    /// How long to wait after an attempt that failed: a random time between half of the delay and all of it, so that
    /// many jobs which failed together do not come back together.
    /// - Parameters:
    ///   - attempt: 1 for the first.
    ///   - share: 0…1, how much of the random half is taken.
    func delay(after attempt: Int, share: Double) -> Duration {
        // Doubled thirty times, the shortest delay that is of any use is longer than the longest.
        let full = min(firstDelay * (1 << min(max(attempt - 1, 0), 30)), longestDelay)
        return full / 2 + full / 2 * share
    }

    static func isWorthRetrying(status: Int) -> Bool {
        [408, 429, 500, 502, 503, 504].contains(status)
    }
}
