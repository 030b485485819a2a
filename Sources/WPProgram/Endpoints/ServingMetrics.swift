// SPDX-License-Identifier: MIT

import WPMetrics
import WPServer

/// The server's open, lost and rejected connections as metrics.
enum ServingMetrics {
    /// - Parameters:
    ///   - prefix: the prefix of the names, without the last underscore.
    ///   - statistics: the server's statistics; must not block.
    static func collector(
        prefix: String,
        _ statistics: @escaping @Sendable () -> ServerStatistics
    ) throws(MetricError) -> RowCollector<ServerStatistics> {
        let rows: [FamilyRow<ServerStatistics>] = [
            try FamilyRow(
                "\(prefix)_http_connections_open",
                "Connections to the program that are open."
            ) { Double($0.openConnections) },
            try FamilyRow(
                "\(prefix)_http_connections_refused_total",
                "Connections answered 503 because there were too many.",
                type: .counter
            ) { Double($0.refusedConnections) },
            try FamilyRow(
                "\(prefix)_http_connections_displaced_total",
                "Idle connections that were closed to make room for new ones.",
                type: .counter
            ) { Double($0.displacedConnections) },
            try FamilyRow(
                "\(prefix)_tls_handshake_failures_total",
                "Connections to the program whose TLS handshake failed.",
                type: .counter
            ) { Double($0.failedHandshakes) },
            try FamilyRow(
                "\(prefix)_tls_certificate_expiry_timestamp_seconds",
                "When the program's certificate expires, in seconds since 1970.",
                unit: "seconds"
            ) { $0.certificateEnd.map(Double.init) },
        ]
        return RowCollector([FamilyRows(rows)], state: statistics)
    }

    /// A separate collector for lost log records, which are counted even without a server.
    static func lostLogRecords(prefix: String, _ count: @escaping @Sendable () -> Int) throws(MetricError)
        -> RowCollector<Int>
    {
        let row = try FamilyRow<Int>(
            "\(prefix)_log_records_lost_total",
            "Log records that could not be written.",
            type: .counter
        ) { Double($0) }
        return RowCollector([FamilyRows([row])], state: count)
    }
}
