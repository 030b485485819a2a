// SPDX-License-Identifier: MIT

import Synchronization
public import WPMetrics
public import WPModel

/// The devices of the current snapshot as metric families: the mapping of docs/metrics.md.
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
    ///   - staleAfter: the greatest age of the last good collection at which device gauges are still shown. Energy is
    ///     shown whatever its age.
    ///   - timeSource: the clocks.
    ///   - snapshot: gives the current snapshot.
    /// - Throws: ``WPMetrics/MetricError``, which would be a fault of this module.
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
            "When a reading of the device last differed from the one before it, in seconds since 1970."
        ) { $0.secondsSince1970 }
    }

    /// The greatest age of the last good collection at which device gauges are still shown. It may be changed at any
    /// time.
    public var staleAfter: Duration {
        get { staleLimit.withLock { $0 } }
        set { staleLimit.withLock { $0 = newValue } }
    }

    /// Every family that this collector may give.
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
        // Before the first good collection, what an earlier process knew of the devices serves for their energy.
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
