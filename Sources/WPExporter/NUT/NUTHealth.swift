// SPDX-License-Identifier: MIT

import WPNUT

/// The status of the NUT server in `/health`.
struct NUTHealth: Codable, Equatable, Sendable {
    /// The number of connected clients.
    var connections: Int
    /// The number of UPSes that clients can query.
    var upses: Int
    /// The number of UPSes with current data.
    var available: Int
    /// The number of logged-in clients.
    var logins: Int
    /// The names of the UPSes with a forced shutdown.
    var forcedShutdowns: [String]

    enum CodingKeys: String, CodingKey {
        case connections, upses, available, logins
        case forcedShutdowns = "forced_shutdowns"
    }

    init(_ statistics: NUTServer.Statistics) {
        connections = statistics.openConnections
        upses = statistics.upses.count
        available = statistics.upses.count { $0.isAvailable }
        logins = statistics.upses.reduce(0) { $0 + $1.logins }
        forcedShutdowns = statistics.upses.filter(\.isForcedShutdown).map(\.name)
    }
}
