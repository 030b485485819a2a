// SPDX-License-Identifier: MIT

/// How long to leave the server alone after it refused credentials: asking again every few seconds could lock the
/// account.
///
/// The n-th pause is between 30 s · 2ⁿ⁻¹ and half as much again, at random, and never more than 15 min.
struct RefusalBackoff {
    static let shortest = Duration.seconds(30)
    static let longest = Duration.seconds(900)

    private var refusals = 0
    private var refused: WinPowerCredentials?
    private var end = Duration.zero

    /// How many times in a row the server refused.
    var count: Int { refusals }

    /// Notes a refusal and gives the pause that follows it.
    /// - Parameter random: from 0 up to 1.
    mutating func refuse(_ credentials: WinPowerCredentials?, at now: Duration, random: Double) -> Duration {
        var pause = Self.shortest
        for _ in 0..<min(refusals, 16) where pause < Self.longest { pause = pause * 2 }
        let share = random.isFinite ? min(max(random, 0), 1) : 0
        pause = min(pause + pause * (share / 2), Self.longest)
        refusals = min(refusals + 1, 1_000_000)
        refused = credentials
        end = now + pause
        return pause
    }

    /// How much of the pause is left for these credentials; nil when there is none. Credentials that are not the
    /// refused ones need not wait.
    func remaining(for credentials: WinPowerCredentials, at now: Duration) -> Duration? {
        guard let refused, refused == credentials, now < end else { return nil }
        return end - now
    }

    /// Forgets the refusals: the server has accepted a token.
    mutating func reset() {
        self = RefusalBackoff()
    }
}
