// SPDX-License-Identifier: MIT

import Synchronization
import WPCore
public import WPMetrics
import WPModel

/// Converts the state of collection to metric families: the snapshot's data on the exporter and its connection.
///
/// Families are built once per snapshot, not once per scrape.
public final class SnapshotMetrics: ImmediateCollector {
    private let snapshot: @Sendable () -> CollectionSnapshot
    private let built = Mutex<(generation: Int, families: [MetricFamily])?>(nil)
    private let up: MetricDescriptor
    private let deviceCount: MetricDescriptor
    private let lastSuccess: MetricDescriptor
    private let lastSave: MetricDescriptor
    private let connection: MetricDescriptor
    private let auth: MetricDescriptor

    /// Creates the collector.
    /// - Parameter snapshot: returns the current snapshot.
    /// - Throws: ``WPMetrics/MetricError``, which would be a bug in this module.
    public init(snapshot: @escaping @Sendable () -> CollectionSnapshot) throws(MetricError) {
        self.snapshot = snapshot
        up = try Self.gauge("winpower_exporter_up", "Always 1: the exporter serves.")
        deviceCount = try Self.gauge("winpower_exporter_device_count", "Devices in the last good reply.")
        lastSuccess = try Self.gauge(
            "winpower_exporter_last_success_timestamp_seconds",
            "When the last good collection ended, in seconds since 1970."
        )
        lastSave = try Self.gauge(
            "winpower_exporter_last_save_timestamp_seconds",
            "Time of the last collection whose energy totals are saved, in seconds since 1970."
        )
        connection = try Self.gauge("winpower_connection_status", "Whether the last cycle reached the WinPower API.")
        auth = try Self.gauge("winpower_auth_status", "Whether the last cycle was authenticated.")
    }

    /// Every family that this collector can return.
    public var descriptors: [MetricDescriptor] { [up, deviceCount, lastSuccess, lastSave, connection, auth] }

    /// The families of the current snapshot.
    public func collectNow() -> [MetricFamily] {
        let snapshot = snapshot()
        return built.withLock { built in
            if let built, built.generation == snapshot.generation { return built.families }
            let families = families(of: snapshot)
            built = (snapshot.generation, families)
            return families
        }
    }

    private func families(of snapshot: CollectionSnapshot) -> [MetricFamily] {
        var families = [
            MetricFamily(up, value: 1),
            MetricFamily(deviceCount, value: Double(snapshot.readings.count)),
            MetricFamily(connection, value: snapshot.reachedServer ? 1 : 0),
            MetricFamily(auth, value: snapshot.wasAuthenticated ? 1 : 0),
        ]
        if let time = snapshot.lastSuccess?.secondsSince1970 {
            families.append(MetricFamily(lastSuccess, value: time))
        }
        if let time = snapshot.lastSave?.secondsSince1970 {
            families.append(MetricFamily(lastSave, value: time))
        }
        return families
    }

    private static func gauge(_ name: String, _ help: String) throws(MetricError) -> MetricDescriptor {
        try MetricDescriptor(name: name, help: help, type: .gauge, labelNames: [])
    }
}
