// SPDX-License-Identifier: MIT

public import WPModel

/// Who logs in to WinPower.
public struct WinPowerCredentials: Sendable, Hashable {
    /// The account's name, as in WinPower's own user list. Read access to the devices is enough.
    public var username: String
    /// The account's password.
    public var password: Secret

    /// Creates credentials.
    public init(username: String, password: Secret) {
        self.username = username
        self.password = password
    }
}
