// SPDX-License-Identifier: MIT

import Synchronization
public import WPCore
public import WPMetrics
import WPModel

/// Converts the devices of the current snapshot to metric families, as documented in docs/metrics.md.
///
/// Families are built once per snapshot, not once per scrape.
public final class DeviceMetrics: ImmediateCollector {
    private struct Built {
        var generation: Int
        var isStale: Bool
        var families: [MetricFamily]
    }

    private let snapshot: @Sendable () -> CollectionSnapshot
    private let timeSource: any TimeSource
    private let staleLimit: Mutex<Duration>
    private let gauges: [FamilyRow<DeviceReading>]
    private let details: DeviceDetailFamilies
    private let energy: EnergyFamilies
    private let lastChange: FamilyRow<TimePoint>
    private let built = Mutex<Built?>(nil)

    /// Creates the collector of device metrics.
    /// - Parameters:
    ///   - staleAfter: the maximum age of the last successful collection at which device gauges are published. Energy
    ///     is published regardless of its age.
    ///   - timeSource: the clocks.
    ///   - snapshot: returns the current snapshot.
    /// - Throws: ``WPMetrics/MetricError``, which would be a bug in this module.
    public init(
        staleAfter: Duration,
        timeSource: any TimeSource,
        snapshot: @escaping @Sendable () -> CollectionSnapshot
    ) throws(MetricError) {
        self.snapshot = snapshot
        self.timeSource = timeSource
        staleLimit = Mutex(staleAfter)
        gauges = try DeviceFamilies.all()
        details = try DeviceDetailFamilies()
        energy = try EnergyFamilies()
        lastChange = try FamilyRow(
            "winpower_device_last_change_timestamp_seconds",
            "When a reading of the device last differed from the one before it, in seconds since 1970.",
            labels: DeviceLabels.names
        ) { $0.secondsSince1970 }
    }

    /// The maximum age of the last successful collection at which device gauges are published. May be changed at any
    /// time.
    public var staleAfter: Duration {
        get { staleLimit.withLock { $0 } }
        set { staleLimit.withLock { $0 = newValue } }
    }

    /// Every family that this collector can return.
    public var descriptors: [MetricDescriptor] {
        gauges.map(\.descriptor) + [lastChange.descriptor] + details.descriptors + energy.descriptors
    }

    /// The families of the current snapshot.
    public func collectNow() throws -> [MetricFamily] {
        let snapshot = snapshot()
        let isStale = snapshot.isStale(at: timeSource.now, limit: staleAfter)
        let kept = built.withLock { built in
            built?.generation == snapshot.generation && built?.isStale == isStale ? built?.families : nil
        }
        if let kept { return kept }
        let families = try families(of: snapshot, isStale: isStale)
        built.withLock { $0 = Built(generation: snapshot.generation, isStale: isStale, families: families) }
        return families
    }

    private func families(of snapshot: CollectionSnapshot, isStale: Bool) throws(MetricError) -> [MetricFamily] {
        // Before the first successful collection, restored devices label the energy metrics.
        let known = snapshot.lastSuccess == nil ? snapshot.remembered : snapshot.readings.map(\.device)
        var labelled: [Labelled<DeviceID>] = []
        labelled.reserveCapacity(known.count)
        for device in known { labelled.append((try DeviceLabels.of(device), device.id)) }
        let energy = try energy.families(of: labelled, totals: snapshot.totals)
        if isStale { return energy }
        let devices = zip(labelled, snapshot.readings).map { (labels: $0.labels, subject: $1) }
        let changes = lastChange.family(
            of: labelled.compactMap { entry in
                snapshot.lastChanges[entry.subject].map { (entry.labels, $0) }
            }
        )
        return try gauges.map { $0.family(of: devices) } + [changes] + details.families(of: devices) + energy
    }
}
