// SPDX-License-Identifier: MIT

import WPMetrics
import WPModel
import WPNUT

/// Metrics of the NUT server; no samples without one.
final class NUTMetrics: ImmediateCollector {
    private struct Row: Sendable {
        let descriptor: MetricDescriptor
        let metrics: @Sendable (NUTServer.Statistics) throws(MetricError) -> [Metric]
    }

    private let rows: [Row]
    private let statistics: @Sendable () -> NUTServer.Statistics?

    /// - Parameter statistics: returns the server's statistics; nil without one.
    init(_ statistics: @escaping @Sendable () -> NUTServer.Statistics?) throws(MetricError) {
        self.statistics = statistics
        rows = try Self.serverRows() + Self.commandRows() + Self.upsRows()
    }

    var descriptors: [MetricDescriptor] { rows.map(\.descriptor) }

    func collectNow() throws -> [MetricFamily] {
        let statistics = statistics()
        return try rows.map { MetricFamily($0.descriptor, try statistics.map($0.metrics) ?? []) }
    }

    private static func serverRows() throws(MetricError) -> [Row] {
        [
            try row("connections", "Connections of NUT clients that are open.", .gauge) { Double($0.openConnections) },
            try row("connections_rejected_total", "Connections of NUT clients that were closed at once.", .counter) {
                Double($0.rejectedConnections)
            },
            try row("tls_handshake_failures_total", "TLS handshakes of NUT clients that failed.", .counter) {
                Double($0.failedHandshakes)
            },
            try row("forced_shutdowns_total", "Forced shutdowns that a NUT primary has begun.", .counter) {
                Double($0.forcedShutdowns)
            },
            try row("users_file_up", "1 when the file of NUT users could be read last time, 0 when not.", .gauge) {
                $0.areUsersCurrent.map { $0 ? 1 : 0 }
            },
        ]
    }

    private static func row(
        _ name: String,
        _ help: String,
        _ type: MetricType,
        value: @escaping @Sendable (NUTServer.Statistics) -> Double?
    ) throws(MetricError) -> Row {
        let descriptor = try MetricDescriptor(name: "winpower_exporter_nut_\(name)", help: help, type: type)
        return Row(descriptor: descriptor) { statistics in value(statistics).map { [Metric(value: $0)] } ?? [] }
    }

    private static func commandRows() throws(MetricError) -> [Row] {
        [
            Row(
                descriptor: try MetricDescriptor(
                    name: "winpower_exporter_nut_commands_total",
                    help: "Commands of NUT clients, by outcome.",
                    type: .counter,
                    labelNames: ["command", "result"]
                )
            ) { statistics throws(MetricError) in
                var metrics: [Metric] = []
                for (command, count) in statistics.commands {
                    let labels = try LabelSet(["command": command.name, "result": command.result])
                    metrics.append(Metric(labels: labels, value: Double(count)))
                }
                return metrics
            },
            Row(
                descriptor: try MetricDescriptor(
                    name: "winpower_exporter_nut_logins_rejected_total",
                    help: "Logins and other uses of a role by NUT clients that were rejected.",
                    type: .counter,
                    labelNames: ["reason"]
                )
            ) { statistics throws(MetricError) in
                var metrics: [Metric] = []
                for reason in NUTServer.Statistics.rejectionReasons {
                    let count = statistics.rejectedLogins[reason] ?? 0
                    metrics.append(Metric(labels: try LabelSet(["reason": reason]), value: Double(count)))
                }
                return metrics
            },
        ]
    }

    private static func upsRows() throws(MetricError) -> [Row] {
        [
            try upsRow("logins", "NUT clients that are logged in to a UPS.") { Double($0.logins) },
            try upsRow("data_available", "1 when NUT clients get a UPS's data, 0 while it is stale or missing.") {
                $0.isAvailable ? 1 : 0
            },
            try upsRow("forced_shutdown", "1 while the machines of a UPS are told to shut down.") {
                $0.isForcedShutdown ? 1 : 0
            },
        ]
    }

    private static func upsRow(
        _ name: String,
        _ help: String,
        value: @escaping @Sendable (NUTServer.UPSSummary) -> Double
    ) throws(MetricError) -> Row {
        let descriptor = try MetricDescriptor(
            name: "winpower_exporter_nut_ups_\(name)",
            help: help,
            type: .gauge,
            labelNames: ["device_id", "ups"]
        )
        return Row(descriptor: descriptor) { statistics throws(MetricError) in
            var metrics: [Metric] = []
            for ups in statistics.upses {
                let labels = try LabelSet(["device_id": ups.device.rawValue, "ups": ups.name])
                metrics.append(Metric(labels: labels, value: value(ups)))
            }
            return metrics
        }
    }
}
