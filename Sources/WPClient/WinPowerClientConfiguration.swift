// SPDX-License-Identifier: MIT

public import WPCore
import WPModel

extension WinPowerClient {
    /// The requests, timeouts and limits of a client.
    public struct Configuration: Sendable, Hashable {
        /// The path of the login: absolute, percent-encoded, without a query. Default `/api/v1/auth/login`.
        public var loginPath: String
        /// The path of the device list: absolute, percent-encoded, without a query. Default
        /// `/api/v1/deviceData/detail/list`.
        public var devicesPath: String
        /// The requested page size, at least 1; the server may return fewer. Default 100.
        public var pageSize: Int
        /// The vendor's code of the requested device type (1 is a UPS); nil, the default, for all types.
        public var deviceType: Int?
        /// The ID of the devices' area; its sub-areas are included. Default the root area, whose UUID is all zeros.
        public var areaID: String
        /// The timeout of one HTTP request. Default 10 s.
        public var apiTimeout: Duration
        /// The timeout of a whole poll, including login and all pages. Default 30 s.
        public var timeout: Duration
        /// The maximum lifetime of a token. Default 30 min.
        public var tokenLifetime: Duration
        /// How long before its expiry a token is renewed, at most half its lifetime. Default 5 min.
        public var refreshThreshold: Duration
        /// The maximum number of concurrent page requests, at least 1. Default 4. The transport may limit it further:
        /// see ``WinPowerTransport/maxConcurrentRequests``.
        public var maxConcurrentPages: Int
        /// The maximum number of devices; more are an error. Default 100,000.
        public var maxDevices: Int
        /// The maximum number of pages; more are an error. Default 10,000.
        public var maxPages: Int

        /// Creates a configuration with defaults.
        public init(
            loginPath: String = "/api/v1/auth/login",
            devicesPath: String = "/api/v1/deviceData/detail/list",
            pageSize: Int = 100,
            deviceType: Int? = nil,
            areaID: String = "00000000-0000-0000-0000-000000000000",
            apiTimeout: Duration = .seconds(10),
            timeout: Duration = .seconds(30),
            tokenLifetime: Duration = .seconds(1800),
            refreshThreshold: Duration = .seconds(300),
            maxConcurrentPages: Int = 4,
            maxDevices: Int = 100_000,
            maxPages: Int = 10_000
        ) {
            self.loginPath = loginPath
            self.devicesPath = devicesPath
            self.pageSize = pageSize
            self.deviceType = deviceType
            self.areaID = areaID
            self.apiTimeout = apiTimeout
            self.timeout = timeout
            self.tokenLifetime = tokenLifetime
            self.refreshThreshold = refreshThreshold
            self.maxConcurrentPages = maxConcurrentPages
            self.maxDevices = maxDevices
            self.maxPages = maxPages
        }
    }
}

/// The credentials for WinPower.
public struct WinPowerCredentials: Sendable, Hashable {
    /// The account's name in WinPower. Read access to the devices is sufficient.
    public var username: String
    /// The account's password.
    public var password: Secret

    /// Creates credentials.
    public init(username: String, password: Secret) {
        self.username = username
        self.password = password
    }
}
