// SPDX-License-Identifier: MIT

public import WPModel

/// How a simulated WinPower server is set up.
///
/// Equal configurations and equal times give equal devices and values in every process.
public struct SimulatorConfiguration: Sendable {
    /// The number of UPSes, 0 to ``maximumDeviceCount``; values outside are taken as the nearest bound.
    package var deviceCount: Int
    /// The number of devices that are no UPS (`deviceType` 2) and come after them in the list, with the same bounds.
    package var otherDeviceCount: Int
    /// What the devices and their values are derived from.
    package var seed: UInt64
    /// What happens at the start.
    package var scenario: Scenario
    /// The largest page, whatever page size is asked for; at least 1.
    package var pageCap: Int
    /// How long a token is accepted, by the monotonic clock; from zero to a century.
    package var tokenLifetime: Duration
    /// How a token states its end.
    package var tokenClaims: TokenClaims
    /// The user that may log in.
    package var username: String
    /// The user's password.
    package var password: Secret
    /// How a request without a valid token is refused.
    package var authFailureShape: AuthFailureShape
    /// The names of the first devices; the others are named like `UPS-04 Rack D`.
    package var deviceAliases: [String]
    /// The number of decimals in active power fields, 0 to 3. WinPower was seen to send whole watts.
    package var wattDecimals: Int
    /// Whether bodies are sent with chunked coding, as WinPower does.
    package var chunked: Bool
    /// Whether bodies are compressed for clients that accept gzip, as WinPower does.
    package var gzip: Bool
    /// The delay of ``Scenario/slow``.
    package var slowDelay: Duration
    /// The time between two bytes of ``Scenario/drip``.
    package var dripInterval: Duration
    /// Where ``Scenario/oversized`` and, decompressed, ``Scenario/gzipBomb`` end after all, in bytes.
    package var oversizedByteCount: Int

    /// The most devices of one kind.
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

/// How a request without a valid token is refused. Both ways were seen of real servers.
public enum AuthFailureShape: String, CaseIterable, Sendable, Hashable {
    /// HTTP 401 with an empty list.
    case http401
    /// HTTP 200 with `code` "401" and `data` a string.
    case http200
    /// The one and the other in turn, beginning with HTTP 401.
    case alternating
}

/// How a token (a JWT, RFC 7519) states its end. Both ways were seen of real servers.
public enum TokenClaims: String, CaseIterable, Sendable, Hashable {
    /// `iat` and `exp` in seconds, as the standard says.
    case seconds
    /// `iat` in seconds, `exp` in milliseconds, and `tokenExpiredMinutes`.
    case milliseconds
}
