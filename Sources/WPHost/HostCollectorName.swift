// SPDX-License-Identifier: MIT

/// The collectors of a host. The raw value is node_exporter's name of the collector, where it has one.
public enum HostCollectorName: String, Sendable, Hashable, CaseIterable {
    /// The time of each processor, and how busy it is: `/proc/stat`.
    case cpu
    /// The clock rate of each processor: cpufreq in sysfs.
    case cpufreq
    /// Model, cores and threads of the processors: `/proc/cpuinfo`.
    case cpuinfo
    /// Boot time, context switches, forks, interrupts: `/proc/stat`.
    case stat
    /// Load averages: `/proc/loadavg`.
    case loadavg
    /// Memory and swap: `/proc/meminfo`.
    case meminfo
    /// Space of file systems: `/proc/1/mountinfo` and statvfs(3).
    case filesystem
    /// Reads and writes of block devices: `/proc/diskstats`.
    case diskstats
    /// Traffic of network interfaces: `/proc/net/dev`.
    case netdev
    /// Attributes of network interfaces: `/sys/class/net`.
    case netclass
    /// IP addresses of network interfaces: getifaddrs(3).
    case addresses
    /// Sensors of hardware: `/sys/class/hwmon`.
    case hwmon
    /// Thermal zones and cooling devices: `/sys/class/thermal`.
    case thermalZone = "thermal_zone"
    /// Time lost for lack of a resource: `/proc/pressure`.
    case pressure
    /// Counters of memory management: `/proc/vmstat`.
    case vmstat
    /// Open files of the whole system: `/proc/sys/fs/file-nr`.
    case filefd
    /// Tracked connections: `/proc/sys/net/netfilter`.
    case conntrack
    /// The random pool: `/proc/sys/kernel/random`.
    case entropy
    /// Kernel and machine: uname(2).
    case uname
    /// The distribution: `/etc/os-release`.
    case os
    /// Limits of the control group that this program runs in.
    case cgroup
    /// The processes that use most of the machine: `/proc/PID/stat`.
    case processes

    /// What is sampled together with it.
    var group: HostSampleGroup {
        switch self {
        case .cpu: .cpu
        case .processes: .processes
        default: .system
        }
    }
}

/// Collectors that are sampled together, at an interval of their own.
public enum HostSampleGroup: String, Sendable, Hashable, CaseIterable {
    /// ``HostCollectorName/cpu`` alone.
    case cpu
    /// ``HostCollectorName/processes`` alone.
    case processes
    /// All others.
    case system
}
