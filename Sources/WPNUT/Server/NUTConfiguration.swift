// SPDX-License-Identifier: MIT

public import WPServer
public import WPSockets

extension NUTServer {
    /// The configuration of a NUT server. Everything except the addresses and the limit may change while it runs; see
    /// ``NUTServer/update(_:)``.
    public struct Configuration: Sendable {
        /// The addresses to listen on; port 0 picks a free one.
        public var addresses: [HostPort]
        /// The networks whose connections are accepted; nil for all.
        public var allowed: [IPNetwork]?
        /// The users file in the format of `upsd.users`; nil for no users. Reread when it changes.
        public var usersFile: String?
        /// The certificate for `STARTTLS`; nil for none.
        public var tls: (any TLSContextSource)?
        /// Whether a login from another machine needs TLS.
        public var requiresTLSForLogin: Bool
        /// The criterion for a low battery.
        public var lowBattery: LowBatteryRule
        /// The age at which a reading is stale.
        public var staleAfter: Duration
        /// How long the mains must be present before a forced shutdown is cleared.
        public var forcedShutdownHold: Duration
        /// The names of the UPSes.
        public var names: UPSNames
        /// The maximum number of concurrent connections.
        public var maxConnections: Int

        /// Creates a configuration.
        public init(
            addresses: [HostPort] = [HostPort(host: "127.0.0.1", port: 3493)],
            allowed: [IPNetwork]? = nil,
            usersFile: String? = nil,
            tls: (any TLSContextSource)? = nil,
            requiresTLSForLogin: Bool = true,
            lowBattery: LowBatteryRule = LowBatteryRule(),
            staleAfter: Duration = .seconds(15),
            forcedShutdownHold: Duration = .seconds(300),
            names: UPSNames = UPSNames(),
            maxConnections: Int = 4096
        ) {
            self.addresses = addresses
            self.allowed = allowed
            self.usersFile = usersFile
            self.tls = tls
            self.requiresTLSForLogin = requiresTLSForLogin
            self.lowBattery = lowBattery
            self.staleAfter = staleAfter
            self.forcedShutdownHold = forcedShutdownHold
            self.names = names
            self.maxConnections = maxConnections
        }
    }
}
