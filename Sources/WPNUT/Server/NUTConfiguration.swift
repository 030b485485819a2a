// SPDX-License-Identifier: MIT

public import WPServer
public import WPSockets

extension NUTServer {
    /// What a NUT server does. All but the addresses and the limits may change while it runs; see ``NUTServer/update(_:)``.
    public struct Configuration: Sendable {
        /// Where it listens.
        public var addresses: [HostPort]
        /// Whose connections are accepted; nil for everyone's.
        public var allowed: [IPNetwork]?
        /// The file of users in the format of `upsd.users`; nil for nobody. It is reread when it changes.
        public var usersFile: String?
        /// The certificate for `STARTTLS`; nil for none.
        public var tls: (any TLSContextSource)?
        /// Whether a login from another machine needs TLS.
        public var requiresTLSForLogin: Bool
        /// When the battery counts as low.
        public var lowBattery: LowBatteryRule
        /// The age from which a reading is stale.
        public var staleAfter: Duration
        /// How long the mains must be present before a forced shutdown is over.
        public var forcedShutdownHold: Duration
        /// The names of the UPSes.
        public var names: UPSNames
        /// How many connections are served at a time.
        public var maxConnections: Int

        /// Creates a configuration.
        /// - Parameters:
        ///   - addresses: where it listens; port 0 picks a free one.
        ///   - allowed: whose connections are accepted; nil for everyone's.
        ///   - usersFile: the file of users; nil for nobody.
        ///   - tls: the certificate for `STARTTLS`; nil for none.
        ///   - requiresTLSForLogin: whether a login from another machine needs TLS.
        ///   - lowBattery: when the battery counts as low.
        ///   - staleAfter: the age from which a reading is stale.
        ///   - forcedShutdownHold: how long the mains must be present before a forced shutdown is over.
        ///   - names: the names of the UPSes.
        ///   - maxConnections: how many connections are served at a time.
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

        var policy: UPSTable.Policy {
            UPSTable.Policy(
                names: names,
                lowBattery: lowBattery,
                staleAfter: staleAfter,
                forcedShutdownHold: forcedShutdownHold
            )
        }
    }
}
