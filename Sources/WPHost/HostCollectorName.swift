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
    /// Whether the clock is set by another one: adjtimex(2), which is asked and told nothing.
    case timex
    /// The time zone and the sources of the clock: `/sys/devices/system/clocksource`.
    case time
    /// Arrays of disks: `/proc/mdstat` and `/sys/block/*/md`.
    case mdadm
    /// Bonds of network interfaces: `/sys/class/net/*/bonding`.
    case bonding
    /// Counters of the network protocols: `/proc/net/netstat`, `snmp` and `snmp6`.
    case netstat
    /// Sockets in use: `/proc/net/sockstat` and `sockstat6`.
    case sockstat
    /// Packets that processors took from the network: `/proc/net/softnet_stat`.
    case softnet
    /// What waits in the queues of UDP sockets: `/proc/net/udp` and `udp6`.
    case udpQueues = "udp_queues"
    /// Neighbours by interface: `/proc/net/arp`.
    case arp
    /// How long tasks ran and waited on each processor: `/proc/schedstat`.
    case schedstat
    /// Errors of memory that were corrected, or were not: `/sys/devices/system/edac`.
    case edac
    /// What the firmware says of the machine: `/sys/class/dmi`.
    case dmi
    /// NVMe controllers: `/sys/class/nvme`.
    case nvme
    /// Batteries and power supplies: `/sys/class/power_supply`.
    case powersupplyclass
    /// Energy that processors and memory have used: `/sys/class/powercap`.
    case rapl
    /// Watchdog timers: `/sys/class/watchdog`.
    case watchdog
    /// Whether SELinux enforces its policy: `/sys/fs/selinux`.
    case selinux
    /// Families that other programs leave in files: the `.prom` files of a directory.
    case textfile
    /// Throttling, isolation and governors of processors: `/sys/devices/system/cpu`.
    case cpuState = "cpu_state"
    /// Faults of processors and what is done about them: `/sys/devices/system/cpu/vulnerabilities`.
    case cpuVulnerabilities = "cpu_vulnerabilities"
    /// Tasks that the kernel found hung: `/proc/sys/kernel/hung_task_detect_count`.
    case kernelHung = "kernel_hung"
    /// Caches of block devices: `/sys/fs/bcache`.
    case bcache
    /// Space of btrfs file systems: `/sys/fs/btrfs`.
    case btrfs
    /// Devices that are reached by several paths: `/sys/block/dm-*`.
    case dmmultipath
    /// Host bus adapters of Fibre Channel: `/sys/class/fc_host`.
    case fibrechannel
    /// Ports of InfiniBand and RDMA: `/sys/class/infiniband`.
    case infiniband
    /// The kernel's load balancer: `/proc/net/ip_vs`.
    case ipvs
    /// This machine as a client of NFS: `/proc/net/rpc/nfs`.
    case nfs
    /// This machine as a server of NFS: `/proc/net/rpc/nfsd`.
    case nfsd
    /// Tape drives: `/sys/class/scsi_tape`.
    case tapestats
    /// Counters of XFS file systems: `/sys/fs/xfs`.
    case xfs
    /// Statistics of ZFS: `/proc/spl/kstat/zfs`.
    case zfs
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
