// SPDX-License-Identifier: MIT

extension WinPowerClient {
    /// What a client asks for, how long it waits, and how much it takes.
    public struct Configuration: Sendable, Hashable {
        /// The path to log in at: absolute, percent-encoded, without a query. Default `/api/v1/auth/login`.
        public var loginPath: String
        /// The path that lists the devices: absolute, percent-encoded, without a query. Default
        /// `/api/v1/deviceData/detail/list`.
        public var devicesPath: String
        /// How many devices to ask for in one page, at least 1; the server may give fewer. Default 100.
        public var pageSize: Int
        /// The vendor's code of the only type to ask for (1 is a UPS); nil, the default, for every type.
        public var deviceType: Int?
        /// The area whose devices to read, those of its sub-areas included. Default the root, the UUID of zeros.
        public var areaID: String
        /// The longest that one HTTP exchange may take. Default 10 s.
        public var apiTimeout: Duration
        /// The longest that one whole reading may take: logging in and every page. Default 30 s.
        public var timeout: Duration
        /// How long a token is used when the token itself does not say less. Default 30 min.
        public var tokenLifetime: Duration
        /// How long before a token's end a new one is fetched; never more than half the token's life. Default 5 min.
        public var refreshThreshold: Duration
        /// How many pages after the first may be read at the same time, at least 1. Default 4. The transport may carry
        /// fewer: see ``WinPowerTransport/maxConcurrentRequests``.
        public var maxConcurrentPages: Int
        /// The most devices of one reading; a server that claims or sends more is an error. Default 100,000.
        public var maxDevices: Int
        /// The most pages of one reading; a server that needs more is an error. Default 10,000.
        public var maxPages: Int

        /// Creates a configuration. Everything that is left out has its default.
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
