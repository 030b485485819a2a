// SPDX-License-Identifier: MIT

import WPMetrics
import WPModel
import WPNUT

/// The metrics of the NUT server; without samples if it is disabled.
enum NUTMetrics {
    private typealias Statistics = NUTServer.Statistics

    /// - Parameter statistics: returns the server's statistics; nil without a server.
    static func collector(
        _ statistics: @escaping @Sendable () -> NUTServer.Statistics?
    ) throws(MetricError) -> RowCollector<NUTServer.Statistics> {
        RowCollector(
            [
                FamilyRows(try serverRows()),
                FamilyRows([
                    try row(
                        "commands_total",
                        "Commands of NUT clients, by outcome.",
                        .counter,
                        labels: ["command", "result"]
                    ) { $0 }
                ]) { try $0.commands.map { (try LabelSet(["command": $0.name, "result": $0.result]), Double($1)) } },
                FamilyRows([
                    try row(
                        "logins_rejected_total",
                        "Logins and other uses of a role by NUT clients that were rejected.",
                        .counter,
                        labels: ["reason"]
                    ) { $0 }
                ]) { statistics in
                    try Statistics.rejectionReasons.map {
                        (try LabelSet(["reason": $0]), Double(statistics.rejectedLogins[$0] ?? 0))
                    }
                },
                FamilyRows(try upsRows()) {
                    try $0.upses.map { (try LabelSet(["device_id": $0.device.rawValue, "ups": $0.name]), $0) }
                },
            ],
            state: statistics
        )
    }

    private static func serverRows() throws(MetricError) -> [FamilyRow<Statistics>] {
        [
            try row("connections", "Connections of NUT clients that are open.") { Double($0.openConnections) },
            try row("connections_rejected_total", "Connections of NUT clients that were closed immediately.", .counter)
            {
                Double($0.rejectedConnections)
            },
            try row("tls_handshake_failures_total", "TLS handshakes of NUT clients that failed.", .counter) {
                Double($0.failedHandshakes)
            },
            try row("forced_shutdowns_total", "Forced shutdowns that a NUT primary has begun.", .counter) {
                Double($0.forcedShutdowns)
            },
            try row("users_file_up", "1 if the last read of the file of NUT users succeeded, 0 otherwise.") {
                $0.areUsersCurrent.map { $0 ? 1 : 0 }
            },
        ]
    }

    private static func upsRows() throws(MetricError) -> [FamilyRow<NUTServer.UPSSummary>] {
        let labels = ["device_id", "ups"]
        return [
            try row("ups_logins", "NUT clients that are logged in to a UPS.", labels: labels) { Double($0.logins) },
            try row(
                "ups_data_available",
                "1 when NUT clients get a UPS's data, 0 while it is stale or missing.",
                labels: labels
            ) { $0.isAvailable ? 1 : 0 },
            try row(
                "ups_forced_shutdown",
                "1 during a forced shutdown of the machines of a UPS, else 0.",
                labels: labels
            ) { $0.isForcedShutdown ? 1 : 0 },
        ]
    }

    private static func row<Subject>(
        _ name: String,
        _ help: String,
        _ type: MetricType = .gauge,
        labels: [String] = [],
        _ value: @escaping @Sendable (Subject) -> Double?
    ) throws(MetricError) -> FamilyRow<Subject> {
        try FamilyRow("winpower_exporter_nut_\(name)", help, type: type, labels: labels, value)
    }
}
