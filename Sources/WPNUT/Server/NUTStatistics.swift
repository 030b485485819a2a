// SPDX-License-Identifier: MIT

public import WPModel

extension NUTServer {
    /// What a server has done since it was made, and what it shows now.
    public struct Statistics: Sendable, Hashable {
        /// Connections that are open now.
        public var openConnections = 0
        /// Connections that were accepted.
        public var acceptedConnections = 0
        /// Connections that were closed at once: from a network that is not allowed, or too many.
        public var rejectedConnections = 0
        /// TLS handshakes that failed.
        public var failedHandshakes = 0
        /// Commands by their names and by how they ended: `ok`, or NUT's word for the error in lower case. Lines that are no
        /// command have the name `other`.
        public var commands: [Command: Int] = [:]
        /// Logins and other uses of a role that were rejected, by reason: `credentials`, `role`, `rate`, `busy`, `tls`.
        public var rejectedLogins: [String: Int] = [:]
        /// The reasons of ``rejectedLogins``.
        public static let rejectionReasons = ["credentials", "role", "rate", "busy", "tls"]
        /// Forced shutdowns that a primary has begun.
        public var forcedShutdowns = 0
        /// The UPSes, in order.
        public var upses: [UPSSummary] = []
        /// Whether the file of users could be read last time; nil without one.
        public var areUsersCurrent: Bool?
    }

    /// A command and how it ended.
    public struct Command: Sendable, Hashable {
        /// The command's name in lower case; `other` for what is none.
        public var name: String
        /// `ok`, or NUT's word for the error in lower case.
        public var result: String
    }

    /// A UPS as the server shows it.
    public struct UPSSummary: Sendable, Hashable {
        /// The device.
        public var device: DeviceID
        /// Its name for clients.
        public var name: String
        /// Whether clients get its data; false while it is stale or was never read.
        public var isAvailable: Bool
        /// How many connections are logged in to it.
        public var logins: Int
        /// Whether a primary has begun a forced shutdown.
        public var isForcedShutdown: Bool
    }
}
