// SPDX-License-Identifier: MIT

/// The state of a host at one time. A part is nil when its collector is off, has nothing to read on this machine, or
/// failed; ``reports`` says which.
public struct HostSample: Sendable {
    /// When the newest part was read, in seconds since 1970; 0 before the first.
    public internal(set) var time = 0.0
    /// Time of the processors.
    public internal(set) var cpu: CPUSample?
    /// Clock rates of the processors.
    package internal(set) var frequencies: [CPUFrequency]?
    /// What the processors are.
    package internal(set) var processor: ProcessorInfo?
    /// Counters of the kernel.
    package internal(set) var kernel: KernelCounters?
    /// Load averages.
    public internal(set) var load: LoadAverages?
    /// Memory and swap.
    public internal(set) var memory: MemorySample?
    /// Mounted file systems, in the order of the mount table.
    public internal(set) var filesystems: [FilesystemSample]?
    /// Block devices, in the kernel's order.
    package internal(set) var disks: [DiskSample]?
    /// Traffic of network interfaces, in the kernel's order.
    package internal(set) var traffic: [InterfaceTraffic]?
    /// Attributes of network interfaces, by name.
    package internal(set) var interfaces: [InterfaceAttributes]?
    /// Addresses of network interfaces.
    package internal(set) var addresses: [InterfaceAddress]?
    /// Sensors by chip.
    package internal(set) var chips: [SensorChip]?
    /// Thermal zones and cooling devices.
    package internal(set) var thermal: ThermalSample?
    /// Time lost for lack of processors, memory and devices.
    package internal(set) var pressure: PressureSample?
    /// Counters of memory management, in the kernel's order.
    package internal(set) var vmstat: [NamedCounter]?
    /// Open files of the system.
    package internal(set) var files: FileHandles?
    /// Tracked connections.
    package internal(set) var conntrack: TrackedConnections?
    /// The random pool.
    package internal(set) var entropy: EntropyPool?
    /// Kernel and machine.
    package internal(set) var uname: SystemName?
    /// The fields of os-release.
    package internal(set) var os: OperatingSystem?
    /// What only an exposition shows, by collector.
    package internal(set) var tables: [HostCollectorName: [HostTable]] = [:]
    /// Files of families that other programs have left.
    package internal(set) var textFiles: TextFiles?
    /// Limits of this program's control group.
    package internal(set) var cgroup: ControlGroup?
    /// Processes.
    package internal(set) var processes: ProcessTable?
    /// By group, when it was read.
    package internal(set) var times: [HostSampleGroup: HostTime] = [:]
    /// By group, how many times it was sampled: a part is the same as long as its group's count is.
    package internal(set) var versions: [HostSampleGroup: UInt64] = [:]
    /// The result of each collector's last run.
    public internal(set) var reports: [HostCollectorName: CollectorReport] = [:]

    init() {}

    /// Takes what the collectors of a group have read over from another sample.
    mutating func take(_ group: HostSampleGroup, from other: HostSample) {
        // Two samples may end in another order than they began in.
        if let mine = times[group], let its = other.times[group], its.monotonic < mine.monotonic { return }
        time = max(time, other.time)
        times[group] = other.times[group]
        versions[group, default: 0] += 1
        for (name, report) in other.reports where name.group == group { reports[name] = report }
        switch group {
        case .cpu: cpu = other.cpu
        case .processes: processes = other.processes
        case .system:
            var merged = other
            (merged.time, merged.cpu, merged.processes) = (time, cpu, processes)
            (merged.reports, merged.versions, merged.times) = (reports, versions, times)
            self = merged
        }
    }
}

/// The result of one run of a collector.
public struct CollectorReport: Sendable, Hashable {
    /// Whether this machine has what the collector reads.
    package let isAvailable: Bool
    /// Whether it read all that it is responsible for. A file system that does not answer is not its failure.
    public let isSuccess: Bool
    /// The values that it could not read; all others are in the sample.
    public let faults: [HostFault]
    /// How long it took, in seconds.
    package let seconds: Double
}

/// A counter of the kernel with the kernel's name for it.
package struct NamedCounter: Sendable, Hashable {
    package let name: String
    package let value: UInt64
}
