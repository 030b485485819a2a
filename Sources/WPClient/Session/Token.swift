// SPDX-License-Identifier: MIT

import WPModel

/// A token that the server gave, with its life on the time source's monotonic clock.
struct Token: Sendable {
    /// What goes into the Authorization header.
    let secret: Secret
    /// Tells this token from those before and after it.
    let number: Int
    /// When the login that gave it began.
    let obtained: Duration
    /// When it counts as ended.
    let expiry: Duration
    /// From when on a new one is fetched.
    let renewal: Duration

    /// - Parameters:
    ///   - obtained: the start of the login that gave it, so that it ends here no later than on the server.
    ///   - lifetime: how long it is used at most; the token itself may say less.
    ///   - refreshThreshold: how long before its end to renew it. Of a short-lived token at most half its life, or each
    ///     reading would log in.
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
