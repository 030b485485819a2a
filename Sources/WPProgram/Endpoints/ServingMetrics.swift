// SPDX-License-Identifier: MIT

import Synchronization
package import WPMetrics
package import WPServer

/// The server's open, lost and rejected connections as metrics, from one snapshot of its statistics.
package final class ServingMetrics: ImmediateCollector {
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

    /// - Parameters:
    ///   - prefix: the prefix of the names, without the last underscore.
    ///   - statistics: the server's statistics; must not block.
    package init(prefix: String, _ statistics: @escaping @Sendable () -> ServerStatistics) throws(MetricError) {
        rows = [
            try Self.gauge(
                "\(prefix)_http_connections_open",
                "Connections to the program that are open."
            ) { Double($0.openConnections) },
            try Self.counter(
                "\(prefix)_http_connections_refused_total",
                "Connections answered 503 because there were too many."
            ) { Double($0.refusedConnections) },
            try Self.counter(
                "\(prefix)_http_connections_displaced_total",
                "Idle connections that were closed to make room for new ones."
            ) { Double($0.displacedConnections) },
            try Self.counter(
                "\(prefix)_tls_handshake_failures_total",
                "Connections to the program whose TLS handshake failed."
            ) { Double($0.failedHandshakes) },
            try Self.gauge(
                "\(prefix)_tls_certificate_expiry_timestamp_seconds",
                "When the program's certificate expires, in seconds since 1970.",
                unit: "seconds"
            ) { $0.certificateEnd.map(Double.init) },
        ]
        self.statistics = statistics
        last = Mutex(Known(values: rows.map { _ in nil }, families: rows.map { MetricFamily($0.descriptor, []) }))
    }

    package var descriptors: [MetricDescriptor] { rows.map { $0.descriptor } }

    /// The current families. Families whose value is unchanged are reused and not encoded again.
    package func collectNow() -> [MetricFamily] {
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

    /// The lost log records, as a separate collector: they are counted without a server too.
    package static func lostLogRecords(prefix: String, _ count: @escaping @Sendable () -> Int) throws(MetricError)
        -> FunctionCollector
    {
        let descriptor = try MetricDescriptor(
            name: "\(prefix)_log_records_lost_total",
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
