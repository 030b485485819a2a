// SPDX-License-Identifier: MIT

import WPCore
public import WPMetrics

/// Converts the state of collection to metric families: the snapshot's data about the exporter and its connection.
public final class SnapshotMetrics: ImmediateCollector {
    private let rows: RowCollector<CollectionSnapshot>

    /// Creates the collector.
    /// - Parameter snapshot: returns the current snapshot.
    /// - Throws: ``WPMetrics/MetricError``, which would be a bug in this module.
    public init(snapshot: @escaping @Sendable () -> CollectionSnapshot) throws(MetricError) {
        let rows: [FamilyRow<CollectionSnapshot>] = [
            try FamilyRow("winpower_exporter_up", "Always 1 while the exporter runs.") { _ in 1 },
            try FamilyRow("winpower_exporter_device_count", "Devices in the last valid reply.") {
                Double($0.readings.count)
            },
            try FamilyRow(
                "winpower_exporter_last_success_timestamp_seconds",
                "End of the last successful collection, in seconds since 1970."
            ) { $0.lastSuccess?.secondsSince1970 },
            try FamilyRow(
                "winpower_exporter_last_save_timestamp_seconds",
                "Time of the last collection whose energy totals are saved, in seconds since 1970."
            ) { $0.lastSave?.secondsSince1970 },
            try FamilyRow("winpower_connection_status", "Whether the last cycle reached the WinPower API.") {
                $0.reachedServer ? 1 : 0
            },
            try FamilyRow("winpower_auth_status", "Whether the last cycle was authenticated.") {
                $0.wasAuthenticated ? 1 : 0
            },
        ]
        self.rows = RowCollector([FamilyRows(rows)], state: snapshot)
    }

    /// Every family that this collector can return.
    public var descriptors: [MetricDescriptor] { rows.descriptors }

    /// The families of the current snapshot.
    public func collectNow() throws -> [MetricFamily] { try rows.collectNow() }
}
