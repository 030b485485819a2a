// SPDX-License-Identifier: MIT

import WPCore
import WPModel

/// A token with its lifetime on the monotonic clock.
struct Token: Sendable {
    /// The bearer token.
    let secret: Secret
    /// The number of this token, counted per session.
    let number: Int
    /// When its login began.
    let obtained: Duration
    /// When it expires.
    let expiry: Duration
    /// When to renew it.
    let renewal: Duration

    /// - Parameters:
    ///   - obtained: the start of its login, so that it expires here no later than on the server.
    ///   - lifetime: its maximum lifetime; the token may state a shorter one.
    ///   - refreshThreshold: how long before expiry to renew it, at most half its lifetime, so that not every poll logs
    ///     in.
    init(secret: Secret, number: Int, obtained: Duration, lifetime: Duration, refreshThreshold: Duration) {
        var life = max(.zero, lifetime)
        if let stated = TokenClaims(token: secret)?.lifetime { life = min(life, stated) }
        self.secret = secret
        self.number = number
        self.obtained = obtained
        expiry = obtained + life
        renewal = expiry - min(max(.zero, refreshThreshold), life / 2)
    }
}
