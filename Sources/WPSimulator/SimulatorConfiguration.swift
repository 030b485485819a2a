// SPDX-License-Identifier: MIT

public import WPCore
import WPModel

/// The configuration of a simulated WinPower server.
///
/// Deterministic: equal configurations and times produce equal devices and values.
public struct SimulatorConfiguration: Sendable {
    /// The number of UPSes, clamped to 0 to ``maximumDeviceCount``.
    package var deviceCount: Int
    /// The number of devices other than UPSes (`deviceType` 2), after them in the list, with the same bounds.
    package var otherDeviceCount: Int
    /// The seed of the devices and their values.
    package var seed: UInt64
    /// The initial scenario.
    package var scenario: Scenario
    /// The maximum page size, regardless of the request; at least 1.
    package var pageCap: Int
    /// The lifetime of a token on the monotonic clock, zero to a century.
    package var tokenLifetime: Duration
    /// The format of a token's expiry.
    package var tokenClaims: TokenClaims
    /// The valid user name.
    package var username: String
    /// The user's password.
    package var password: Secret
    /// The reply to a request without a valid token.
    package var authFailureShape: AuthFailureShape
    /// The names of the first devices; the others have names like `UPS-04 Rack D`.
    package var deviceAliases: [String]
    /// The number of decimals in active power fields, 0 to 3. WinPower sends whole watts.
    package var wattDecimals: Int
    /// Whether bodies are sent with chunked coding, as WinPower does.
    package var chunked: Bool
    /// Whether bodies are compressed for clients that accept gzip, as WinPower does.
    package var gzip: Bool
    /// The delay of ``Scenario/slow``.
    package var slowDelay: Duration
    /// The time between two bytes of ``Scenario/drip``.
    package var dripInterval: Duration
    /// The size of ``Scenario/oversized`` and, decompressed, ``Scenario/gzipBomb``, in bytes.
    package var oversizedByteCount: Int

    /// The maximum number of devices of one kind.
    package static let maximumDeviceCount = 100_000

    /// Creates a configuration.
    public init(
        deviceCount: Int = 3,
        otherDeviceCount: Int = 0,
        seed: UInt64 = 1,
        scenario: Scenario = .normal,
        pageCap: Int = 20,
        tokenLifetime: Duration = .seconds(1800),
        tokenClaims: TokenClaims = .seconds,
        username: String = "admin",
        password: Secret = Secret("admin"),
        authFailureShape: AuthFailureShape = .http401,
        deviceAliases: [String] = [],
        wattDecimals: Int = 0,
        chunked: Bool = true,
        gzip: Bool = true,
        slowDelay: Duration = .seconds(3),
        dripInterval: Duration = .seconds(1),
        oversizedByteCount: Int = 256 << 20
    ) {
        self.deviceCount = deviceCount
        self.otherDeviceCount = otherDeviceCount
        self.seed = seed
        self.scenario = scenario
        self.pageCap = pageCap
        self.tokenLifetime = tokenLifetime
        self.tokenClaims = tokenClaims
        self.username = username
        self.password = password
        self.authFailureShape = authFailureShape
        self.deviceAliases = deviceAliases
        self.wattDecimals = wattDecimals
        self.chunked = chunked
        self.gzip = gzip
        self.slowDelay = slowDelay
        self.dripInterval = dripInterval
        self.oversizedByteCount = oversizedByteCount
    }
}

/// The reply to a request without a valid token. Real servers send both kinds.
public enum AuthFailureShape: String, CaseIterable, Sendable, Hashable {
    /// HTTP 401 with an empty list.
    case http401
    /// HTTP 200 with `code` "401" and `data` a string.
    case http200
    /// Both in turn, starting with HTTP 401.
    case alternating
}

/// The format of the expiry in a token (JWT, RFC 7519). Real servers use both.
public enum TokenClaims: String, CaseIterable, Sendable, Hashable {
    /// `iat` and `exp` in seconds, as in the standard.
    case seconds
    /// `iat` in seconds, `exp` in milliseconds, and `tokenExpiredMinutes`.
    case milliseconds
}
