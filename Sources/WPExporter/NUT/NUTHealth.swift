// SPDX-License-Identifier: MIT

import WPNUT

/// The status of the server for Network UPS Tools, as part of `/health`.
struct NUTHealth: Codable, Equatable, Sendable {
    /// Clients that are connected.
    var connections: Int
    /// UPSes that clients can ask for.
    var upses: Int
    /// Those of them whose data is current.
    var available: Int
    /// Clients that are logged in.
    var logins: Int
    /// The names of the UPSes whose machines a primary has told to shut down.
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
