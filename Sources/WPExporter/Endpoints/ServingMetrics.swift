// SPDX-License-Identifier: MIT

import Synchronization
import WPMetrics
import WPServer

/// What the server has open, lost or refused, as metrics: one look at its statistics gives all of them.
final class ServingMetrics: ImmediateCollector {
    private struct Row {
        let descriptor: MetricDescriptor
        let value: @Sendable (ServerStatistics) -> Double?
    }

    private struct Known {
        var values: [Double?]
        var families: [MetricFamily]
    }

    private let rows: [Row]
    private let statistics: @Sendable () -> ServerStatistics
    private let last: Mutex<Known>

    /// - Parameter statistics: what the server has done so far; it must not block.
    init(_ statistics: @escaping @Sendable () -> ServerStatistics) throws(MetricError) {
        rows = [
            try Self.gauge(
                "winpower_exporter_http_connections_open",
                "Connections to the exporter that are open."
            ) { Double($0.openConnections) },
            try Self.counter(
                "winpower_exporter_http_connections_refused_total",
                "Connections answered 503 because there were too many."
            ) { Double($0.refusedConnections) },
            try Self.counter(
                "winpower_exporter_http_connections_displaced_total",
                "Idle connections that were closed to make room for new ones."
            ) { Double($0.displacedConnections) },
            try Self.counter(
                "winpower_exporter_tls_handshake_failures_total",
                "Connections to the exporter whose TLS handshake failed."
            ) { Double($0.failedHandshakes) },
            try Self.gauge(
                "winpower_exporter_tls_certificate_expiry_timestamp_seconds",
                "When the exporter's certificate expires, in seconds since 1970.",
                unit: "seconds"
            ) { $0.certificateEnd.map(Double.init) },
        ]
        self.statistics = statistics
        last = Mutex(Known(values: rows.map { _ in nil }, families: rows.map { MetricFamily($0.descriptor, []) }))
    }

    var descriptors: [MetricDescriptor] { rows.map { $0.descriptor } }

    /// The families as they are now. Those whose number is the same are the same: they are not encoded again.
    func collectNow() -> [MetricFamily] {
        let statistics = statistics()
        return last.withLock { last in
            for (index, row) in rows.enumerated() {
                let value = row.value(statistics)
                guard last.values[index] != value else { continue }
                last.values[index] = value
                last.families[index] = MetricFamily(row.descriptor, value.map { [Metric(value: $0)] } ?? [])
            }
            return last.families
        }
    }

    /// The records that the log could not write, as a collector of their own: they are counted without a server too.
    static func lostLogRecords(_ count: @escaping @Sendable () -> Int) throws(MetricError) -> FunctionCollector {
        let descriptor = try MetricDescriptor(
            name: "winpower_exporter_log_records_lost_total",
            help: "Log records that could not be written.",
            type: .counter
        )
        return try FunctionCollector(descriptor) { Double(count()) }
    }

    private static func gauge(
        _ name: String,
        _ help: String,
        unit: String? = nil,
        value: @escaping @Sendable (ServerStatistics) -> Double?
    ) throws(MetricError) -> Row {
        Row(descriptor: try MetricDescriptor(name: name, help: help, type: .gauge, unit: unit), value: value)
    }

    private static func counter(
        _ name: String,
        _ help: String,
        value: @escaping @Sendable (ServerStatistics) -> Double?
    ) throws(MetricError) -> Row {
        Row(descriptor: try MetricDescriptor(name: name, help: help, type: .counter), value: value)
    }
}
