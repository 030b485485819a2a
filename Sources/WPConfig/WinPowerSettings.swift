// SPDX-License-Identifier: MIT

public import WPCore
package import WPSettings

/// The WinPower server to poll: `winpower.*`.
public struct WinPowerSettings: Sendable, Hashable {
    /// The server's address; nil only if it was not required.
    public var baseURL: WinPowerURL?
    /// The account; nil only if it was not required.
    public var username: String?
    /// Its password, unless ``passwordFile`` names a file.
    public var password: Secret?
    /// The file that contains its password, read at each login so that a rotated password needs no restart.
    public var passwordFile: String?
    /// The time limit for one whole collection.
    public var timeout: Duration = .seconds(30)
    /// The time limit for one HTTP exchange. If unset, at most ``timeout``.
    package var apiTimeout: Duration = .seconds(10)
    /// Whether any certificate is accepted.
    public var skipSSLVerify = false
    /// A PEM file of the certificate authorities to trust; nil for the system's.
    public var caFile: String?
    /// The expected name in the server's certificate; nil for the host of ``baseURL``.
    public var tlsServerName: String?
    /// The SHA-256 fingerprint of the server's certificate: 64 lower-case hexadecimal digits without colons. nil
    /// accepts any valid certificate.
    public var tlsFingerprint: String?
    /// The HTTP proxy for connections to the server.
    public var proxy: ProxySetting = .none
    /// How long before its expiry a token is renewed. If unset, at most half of ``tokenLifetime``.
    package var refreshThreshold: Duration = .seconds(300)
    /// The assumed lifetime of a token.
    package var tokenLifetime: Duration = .seconds(1800)
    /// The path of the login endpoint.
    package var loginPath = "/api/v1/auth/login"
    /// The path of the device list.
    package var devicesPath = "/api/v1/deviceData/detail/list"
    /// Devices requested per page.
    package var pageSize = 100
    /// The number of device list pages fetched concurrently, after the first.
    package var pageConcurrency = 4
    /// The only device type to request; nil for all.
    public var deviceType: Int?
    /// The maximum size of a response, in bytes.
    package var maxResponseBytes = 64 << 20

    /// The source of the password; nil if there is none.
    package var passwordSource: SecretSource? { SecretSource(value: password, file: passwordFile) }

    /// The server and the account for the login. Never nil if the settings were loaded with these required.
    package var target: WinPowerTarget? {
        guard let baseURL, let username, let passwordSource else { return nil }
        return WinPowerTarget(baseURL: baseURL, username: username, password: passwordSource)
    }
}

/// A WinPower server and the account on it.
package struct WinPowerTarget: Sendable, Hashable {
    /// The server's address.
    package var baseURL: WinPowerURL
    /// The account.
    package var username: String
    /// The source of its password.
    package var password: SecretSource
}
