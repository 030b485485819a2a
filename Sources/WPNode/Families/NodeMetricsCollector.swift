// SPDX-License-Identifier: MIT

import Synchronization
public import WPHost
public import WPMetrics

/// Shows a host's sample as the families that node_exporter has: the same names, types, labels and units.
///
/// A gather reads no file. Families are made once per sample of a group; between two samples the very same values are
/// returned, which a `LiveExposition` need not encode again.
public final class NodeMetricsCollector: ImmediateCollector {
    private struct State {
        var labels = LabelCache()
        var versions: [HostSampleGroup: UInt64] = [:]
        var families: [HostSampleGroup: [MetricFamily]] = [:]
    }

    private let sample: @Sendable () -> HostSample
    private let time: @Sendable () -> Double
    private let state = Mutex(State())

    /// Creates a collector.
    /// - Parameter sample: gives the newest sample, such as `HostSampler.current`.
    public convenience init(sample: @escaping @Sendable () -> HostSample) {
        self.init(time: { HostClock.system.now().wall }, sample: sample)
    }

    /// Creates a collector with a wall clock of its own, in seconds since 1970, which `node_time_seconds` shows.
    package init(time: @escaping @Sendable () -> Double, sample: @escaping @Sendable () -> HostSample) {
        self.time = time
        self.sample = sample
    }

    /// None: which families there are depends on the machine.
    public var descriptors: [MetricDescriptor] { [] }

    /// The families of the newest sample.
    public func collectNow() -> [MetricFamily] {
        let sample = sample()
        return state.withLock { state in
            for group in HostSampleGroup.allCases where state.versions[group] != sample.versions[group] {
                var builder = FamilyBuilder(state.labels)
                builder.add(group, of: sample)
                state.labels = builder.labels
                state.families[group] = builder.families
                state.versions[group] = sample.versions[group]
            }
            var builder = FamilyBuilder(state.labels)
            builder.gauge("node_time_seconds", "System time in seconds since 1970.", time())
            builder.addReports(sample.reports)
            state.labels = builder.labels
            return HostSampleGroup.allCases.flatMap { state.families[$0] ?? [] } + builder.families
        }
    }
}

extension FamilyBuilder {
    /// Adds all families of a group of collectors.
    mutating func add(_ group: HostSampleGroup, of sample: HostSample) {
        switch group {
        case .cpu: addCPU(sample.cpu)
        case .processes: break
        case .system:
            addFrequencies(sample.frequencies ?? [])
            addKernel(sample.kernel)
            addLoad(sample.load)
            addMemory(sample.memory)
            addFilesystems(sample.filesystems ?? [])
            addDisks(sample.disks ?? [])
            addTraffic(sample.traffic ?? [])
            addInterfaces(sample.interfaces ?? [])
            addChips(sample.chips ?? [])
            addThermal(sample.thermal)
            addPressure(sample.pressure)
            addVMStat(sample.vmstat ?? [])
            addFiles(sample.files, sample.conntrack, sample.entropy)
            addSystem(sample.uname, sample.os)
        }
    }

    /// How each collector fared. Each takes its own time: two groups are not sampled together.
    mutating func addReports(_ reports: [HostCollectorName: CollectorReport]) {
        let sorted = HostCollectorName.allCases.compactMap { name in reports[name].map { (name, $0) } }
        add(
            "node_scrape_collector_duration_seconds",
            "Time that a collector took for its last sample.",
            sorted.map { (labels("collector", $0.rawValue), $1.seconds) }
        )
        add(
            "node_scrape_collector_success",
            "Whether a collector could read all that it reads.",
            sorted.map { (labels("collector", $0.rawValue), $1.isSuccess ? 1 : 0) }
        )
    }
}
