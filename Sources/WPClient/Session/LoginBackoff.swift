// SPDX-License-Identifier: MIT

/// How long to leave the server alone after a login that failed: asking again every few seconds could lock the account,
/// and keeps a server busy that is in trouble already.
///
/// The n-th pause after failures of one kind is between the kind's shortest pause · 2ⁿ⁻¹ and half as much again, at
/// random, and never longer than the kind's longest.
struct LoginBackoff {
    /// What a failure looks like.
    enum Kind: Hashable {
        /// The server refused the credentials, or the token that they gave. Other credentials need not wait.
        case refusal(WinPowerCredentials?)
        /// What answered does not look like a WinPower server's login.
        case wrongAddress
        /// The server says that it cannot answer now.
        case transient

        /// The shortest pause.
        var shortest: Duration {
            switch self {
            case .refusal, .wrongAddress: .seconds(30)
            case .transient: .seconds(5)
            }
        }

        /// The longest pause.
        var longest: Duration {
            switch self {
            case .refusal, .wrongAddress: .seconds(900)
            case .transient: .seconds(60)
            }
        }

        fileprivate func isLike(_ other: Kind?) -> Bool {
            switch (self, other) {
            case (.refusal, .refusal), (.wrongAddress, .wrongAddress), (.transient, .transient): true
            default: false
            }
        }
    }

    /// How many times in a row the login failed in this way.
    private(set) var count = 0
    private var kind: Kind?
    private var end = Duration.zero

    /// Notes a failure and gives the pause that follows it.
    /// - Parameters:
    ///   - random: from 0 up to 1.
    ///   - wish: the pause that the server asked for; it counts up to the longest.
    mutating func fail(_ kind: Kind, at now: Duration, random: Double, askedFor wish: Duration? = nil) -> Duration {
        if !kind.isLike(self.kind) { count = 0 }
        var pause = kind.shortest
        for _ in 0..<min(count, 16) where pause < kind.longest { pause = pause * 2 }
        let share = random.isFinite ? min(max(random, 0), 1) : 0
        pause = min(max(pause + pause * (share / 2), wish ?? .zero), kind.longest)
        count = min(count + 1, 1_000_000)
        self.kind = kind
        end = now + pause
        return pause
    }

    /// How much of the pause is left for these credentials; nil when there is none.
    func remaining(for credentials: WinPowerCredentials, at now: Duration) -> Duration? {
        guard let kind, now < end else { return nil }
        if case .refusal(let refused) = kind, refused != credentials { return nil }
        return end - now
    }

    /// Notes that the server gave a token: it is there and answers. Only ``reset()`` forgets refusals, because a token
    /// can be refused too.
    mutating func noteToken() {
        if case .refusal = kind { return }
        reset()
    }

    /// Forgets the failures: the server has accepted a token.
    mutating func reset() {
        self = LoginBackoff()
    }
}
