// SPDX-License-Identifier: MIT

/// The backoff after a failed login: frequent retries could lock the account or overload a failing server.
///
/// The pause after the n-th consecutive failure of one kind is the kind's minimum pause · 2ⁿ⁻¹, plus up to half of it
/// at random, and at most the kind's maximum.
struct LoginBackoff {
    /// The kind of a failure.
    enum Kind: Hashable {
        /// The server rejected the credentials, or their token. Other credentials need not wait.
        case rejection(WinPowerCredentials?)
        /// The reply is not that of a WinPower login.
        case wrongAddress
        /// The server is temporarily unavailable.
        case transient

        /// The minimum pause.
        var shortest: Duration {
            switch self {
            case .rejection, .wrongAddress: .seconds(30)
            case .transient: .seconds(5)
            }
        }

        /// The maximum pause.
        var longest: Duration {
            switch self {
            case .rejection, .wrongAddress: .seconds(900)
            case .transient: .seconds(60)
            }
        }

        fileprivate func isLike(_ other: Kind?) -> Bool {
            switch (self, other) {
            case (.rejection, .rejection), (.wrongAddress, .wrongAddress), (.transient, .transient): true
            default: false
            }
        }
    }

    /// The number of consecutive failures of this kind.
    private(set) var count = 0
    private var kind: Kind?
    private var end = Duration.zero

    /// Records a failure and returns the following pause.
    /// - Parameters:
    ///   - random: from 0 up to 1.
    ///   - retryAfter: the pause requested by the server, up to the maximum.
    mutating func fail(_ kind: Kind, at now: Duration, random: Double, retryAfter: Duration? = nil) -> Duration {
        if !kind.isLike(self.kind) { count = 0 }
        var pause = kind.shortest
        for _ in 0..<min(count, 16) where pause < kind.longest { pause = pause * 2 }
        let share = random.isFinite ? min(max(random, 0), 1) : 0
        pause = min(max(pause + pause * (share / 2), retryAfter ?? .zero), kind.longest)
        count = min(count + 1, 1_000_000)
        self.kind = kind
        end = now + pause
        return pause
    }

    /// The remaining pause for these credentials; nil for none.
    func remaining(for credentials: WinPowerCredentials, at now: Duration) -> Duration? {
        guard let kind, now < end else { return nil }
        if case .rejection(let rejected) = kind, rejected != credentials { return nil }
        return end - now
    }

    /// Records that the server issued a token. Only ``reset()`` clears rejections, because a token can be rejected as
    /// well.
    mutating func recordToken() {
        if case .rejection = kind { return }
        reset()
    }

    /// Clears the failures after the server accepted a token.
    mutating func reset() {
        self = LoginBackoff()
    }
}
