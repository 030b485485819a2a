// SPDX-License-Identifier: MIT

/// The number of attempts of a push, and the delays between them.
///
/// Temporary failures are retried: no response, or status 408, 429, 500, 502, 503 or 504. Every push is idempotent,
/// including POST, because the gateway replaces metrics of the same name.
public struct PushRetryPolicy: Sendable, Hashable {
    /// The maximum number of attempts, 1…100.
    package let maximumAttempts: Int
    /// The maximum delay before the second attempt; it doubles with each attempt.
    package let firstDelay: Duration
    /// The maximum delay.
    package let longestDelay: Duration

    /// One attempt.
    public static let never = PushRetryPolicy(maximumAttempts: 1)

    /// Creates a policy. Values out of range are clamped.
    /// - Parameters:
    ///   - maximumAttempts: 1…100; default 4.
    ///   - firstDelay: the maximum delay before the second attempt; it doubles with each attempt. Default 0.5 s.
    ///   - longestDelay: the maximum delay. Default 15 s.
    public init(
        maximumAttempts: Int = 4,
        firstDelay: Duration = .milliseconds(500),
        longestDelay: Duration = .seconds(15)
    ) {
        self.maximumAttempts = min(max(maximumAttempts, 1), 100)
        self.firstDelay = max(firstDelay, .zero)
        self.longestDelay = max(longestDelay, .zero)
    }

    /// The delay after a failed attempt, with jitter of up to half of it, so that jobs that failed together do not
    /// retry together.
    /// - Parameters:
    ///   - attempt: 1 for the first.
    ///   - share: the share of the random half, 0…1.
    func delay(after attempt: Int, share: Double) -> Duration {
        // Doubling thirty times exceeds any useful maximum.
        let full = min(firstDelay * (1 << min(max(attempt - 1, 0), 30)), longestDelay)
        return full / 2 + full / 2 * share
    }

    static func isWorthRetrying(status: Int) -> Bool {
        [408, 429, 500, 502, 503, 504].contains(status)
    }
}
