// SPDX-License-Identifier: MIT

import Synchronization
public import WPMetrics
public import WPModel

/// The devices of the current snapshot as metric families: the mapping of docs/metrics.md.
///
/// Families are built once a snapshot, not once a scrape.
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
    }

    /// The greatest age of the last good collection at which device gauges are still shown. It may be changed at any
    /// time.
    public var staleAfter: Duration {
        get { staleLimit.withLock { $0 } }
        set { staleLimit.withLock { $0 = newValue } }
    }

    /// Every family that this collector may give.
    public var descriptors: [MetricDescriptor] {
        gauges.map(\.descriptor) + details.descriptors + energy.descriptors
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
        var devices: [Labelled<DeviceReading>] = []
        devices.reserveCapacity(snapshot.readings.count)
        for reading in snapshot.readings {
            devices.append((try DeviceLabels.of(reading.device), reading))
        }
        let energy = energy.families(of: devices, totals: snapshot.totals)
        if isStale { return energy }
        return try gauges.map { $0.family(of: devices) } + details.families(of: devices) + energy
    }
}
