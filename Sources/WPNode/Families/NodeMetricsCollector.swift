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
        var texts = TextFamilies()
        var versions: [HostSampleGroup: UInt64] = [:]
        var families: [HostSampleGroup: [MetricFamily]] = [:]
    }

    private let sample: @Sendable () -> HostSample
    private let time: @Sendable () -> Double
    private let reserved: @Sendable () -> Set<String>
    private let onTextFault: @Sendable (TextFileFault) -> Void
    private let state = Mutex(State())

    /// Creates a collector.
    /// - Parameter sample: gives the newest sample, such as `HostSampler.current`.
    public convenience init(sample: @escaping @Sendable () -> HostSample) {
        self.init(onTextFault: { _ in }, sample: sample)
    }

    /// Creates a collector with a wall clock of its own.
    /// - Parameters:
    ///   - time: gives seconds since 1970, which `node_time_seconds` shows.
    ///   - reserved: names that text files may not use, besides those of the families of the sample.
    ///   - onTextFault: called when a text file cannot be used, once as long as it does not change.
    package init(
        time: @escaping @Sendable () -> Double = { HostClock.system.now().wall },
        reserved: @escaping @Sendable () -> Set<String> = { [] },
        onTextFault: @escaping @Sendable (TextFileFault) -> Void = { _ in },
        sample: @escaping @Sendable () -> HostSample
    ) {
        self.time = time
        self.reserved = reserved
        self.onTextFault = onTextFault
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
                var families = builder.families
                if group == .system, let files = sample.textFiles {
                    let own = (state.families[.cpu] ?? []) + families
                    for fault in state.texts.take(files, beside: own, reserved: reserved()) { onTextFault(fault) }
                    families += state.texts.families
                }
                state.families[group] = families
                state.versions[group] = sample.versions[group]
            }
            var builder = FamilyBuilder(state.labels)
            // Its collector may be switched off.
            if sample.reports.isEmpty || sample.reports[.time] != nil {
                builder.gauge("node_time_seconds", "System time in seconds since 1970.", time())
            }
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
            for name in HostCollectorName.allCases { addTables(sample.tables[name] ?? []) }
        }
    }

    /// Adds what the kernel's tables say, under their own names.
    mutating func addTables(_ tables: [HostTable]) {
        for table in tables {
            let type: MetricType =
                switch table.kind {
                case .counter: .counter
                case .gauge: .gauge
                case .untyped: .unknown
                }
            add("node_" + table.name, table.help, type: type, table.rows.map { (labels.set($0.labels), $0.value) })
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
