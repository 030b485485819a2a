// SPDX-License-Identifier: MIT

import WPMetrics
import WPServer

/// What the server and the log have lost or refused, as metrics.
enum ServingMetrics {
    static func register(_ server: HTTPServer, _ registry: Registry) throws(MetricError) {
        try gauge(
            registry,
            "winpower_exporter_http_connections_open",
            "Connections to the exporter that are open."
        ) { Double(server.statistics.openConnections) }
        try counter(
            registry,
            "winpower_exporter_http_connections_refused_total",
            "Connections answered 503 because there were too many."
        ) { Double(server.statistics.refusedConnections) }
        try counter(
            registry,
            "winpower_exporter_http_connections_displaced_total",
            "Idle connections that were closed to make room for new ones."
        ) { Double(server.statistics.displacedConnections) }
        try counter(
            registry,
            "winpower_exporter_tls_handshake_failures_total",
            "Connections to the exporter whose TLS handshake failed."
        ) { Double(server.statistics.failedHandshakes) }
        try gauge(
            registry,
            "winpower_exporter_tls_certificate_expiry_timestamp_seconds",
            "When the exporter's certificate expires, in seconds since 1970.",
            unit: "seconds"
        ) { server.statistics.certificateEnd.map(Double.init) }
    }

    static func register(lostLogRecords: @escaping @Sendable () -> Int, _ registry: Registry) throws(MetricError) {
        try counter(
            registry,
            "winpower_exporter_log_records_lost_total",
            "Log records that could not be written."
        ) { Double(lostLogRecords()) }
    }

    private static func gauge(
        _ registry: Registry,
        _ name: String,
        _ help: String,
        unit: String? = nil,
        read: @escaping @Sendable () -> Double?
    ) throws(MetricError) {
        let descriptor = try MetricDescriptor(name: name, help: help, type: .gauge, unit: unit)
        try registry.register(FunctionCollector(descriptor, read: read))
    }

    private static func counter(
        _ registry: Registry,
        _ name: String,
        _ help: String,
        read: @escaping @Sendable () -> Double?
    ) throws(MetricError) {
        let descriptor = try MetricDescriptor(name: name, help: help, type: .counter)
        try registry.register(FunctionCollector(descriptor, read: read))
    }
}
