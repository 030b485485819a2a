// SPDX-License-Identifier: MIT

public import WPModel

extension NUTServer {
    /// The counters of a server since its creation, and its current state.
    public struct Statistics: Sendable, Hashable {
        /// The number of open connections.
        public var openConnections = 0
        /// The number of accepted connections.
        public var acceptedConnections = 0
        /// The number of connections closed immediately: from a disallowed network, or beyond the limit.
        public var rejectedConnections = 0
        /// The number of failed TLS handshakes.
        public var failedHandshakes = 0
        /// Commands by name and result: `ok`, or the NUT error in lower case. Unknown commands are named `other`.
        public var commands: [Command: Int] = [:]
        /// Rejected logins and other uses of a role, by reason: `credentials`, `role`, `rate`, `busy`, `tls`.
        public var rejectedLogins: [String: Int] = [:]
        /// The reasons of ``rejectedLogins``.
        public static let rejectionReasons = ["credentials", "role", "rate", "busy", "tls"]
        /// The number of forced shutdowns started by primaries.
        public var forcedShutdowns = 0
        /// The UPSes, in order.
        public var upses: [UPSSummary] = []
        /// Whether the last read of the users file succeeded; nil without one.
        public var areUsersCurrent: Bool?
    }

    /// A command and its result.
    public struct Command: Sendable, Hashable {
        /// The command in lower case; `other` for an unknown one.
        public var name: String
        /// `ok`, or the NUT error in lower case.
        public var result: String
    }

    /// A UPS as the server publishes it.
    public struct UPSSummary: Sendable, Hashable {
        /// The device.
        public var device: DeviceID
        /// Its NUT name.
        public var name: String
        /// Whether its data is served; false while it is stale or was never read.
        public var isAvailable: Bool
        /// The number of connections logged in to it.
        public var logins: Int
        /// Whether a forced shutdown is in progress.
        public var isForcedShutdown: Bool
    }
}
