// SPDX-License-Identifier: MIT

/// The inputs of a ``HostSampler``.
public struct HostConfiguration: Sendable, Hashable {
    /// The mount point of procfs.
    public var procfs = "/proc"
    /// The mount point of sysfs.
    public var sysfs = "/sys"
    /// The mount point of the host's root directory, below which mount points are looked up.
    public var rootfs = "/"
    /// The directory of udev's device database; nil for `/run/udev/data` below ``rootfs``.
    package var udevData: String?
    /// The enabled collectors. `processes` is the most expensive.
    public var collectors = HostCollectorName.defaults
    /// The maximum duration of a sysfs read before the sample continues without it. Default 500 ms.
    public var callDeadline = Duration.milliseconds(500)
    /// The maximum duration of a statvfs(3) call before the sample continues without it. Default 500 ms.
    package var mountDeadline = Duration.milliseconds(500)
    /// The maximum number of processes listed by processor time, and of those listed by memory. Default 10; with 0,
    /// processes are only counted.
    public var topProcesses = 10
    /// Whether the command lines of those processes are read. Default false: they may contain secrets.
    public var includesCommandLines = false
    /// Excluded mount points, with everything below them if the expression also matches that.
    public var excludedMountPoints = Self.defaultExcludedMountPoints
    /// Excluded file system types.
    public var excludedFilesystemTypes = Self.defaultExcludedFilesystemTypes
    /// Excluded block devices.
    public var excludedDisks = Self.defaultExcludedDisks
    /// Network interfaces whose traffic is excluded; nil for none.
    package var excludedTraffic: NamePattern?
    /// Network interfaces whose attributes are excluded; nil for none.
    package var excludedInterfaces: NamePattern?
    /// Excluded hwmon chips; nil for none.
    package var excludedChips: NamePattern?
    /// Excluded hwmon sensors, as `CHIP;SENSOR`; nil for none.
    package var excludedSensors: NamePattern?
    /// Network interfaces whose neighbours are excluded; nil for none.
    package var excludedNeighbours: NamePattern?
    /// Excluded power supplies; nil for none.
    package var excludedPowerSupplies: NamePattern?
    /// Excluded tape drives; nil for none.
    package var excludedTapes: NamePattern?
    /// Included mount points; nil includes all. The same applies to the following patterns.
    package var includedMountPoints: NamePattern?
    package var includedFilesystemTypes: NamePattern?
    package var includedDisks: NamePattern?
    package var includedTraffic: NamePattern?
    package var includedChips: NamePattern?
    package var includedSensors: NamePattern?
    package var includedNeighbours: NamePattern?
    /// The included fields of `/proc/vmstat`.
    package var includedVMStatFields = Self.defaultVMStatFields
    /// The included fields of `/proc/net/netstat`, `snmp` and `snmp6`, such as `Tcp_CurrEstab`.
    package var includedNetstatFields = Self.defaultNetstatFields
    /// The directory whose `.prom` files are read; nil for none.
    package var textFileDirectory: String?

    /// Creates a configuration with node_exporter's defaults.
    public init() {}

    /// A directory of the host.
    package enum Root: Sendable, CaseIterable { case procfs, sysfs, rootfs }

    /// The roots that do not exist or are of another kind. Blocks.
    package var missingRoots: [Root] {
        Root.allCases.filter { root in
            switch root {
            case .procfs: !FileReader(root: procfs).canRead("stat")
            case .sysfs: !FileReader(root: sysfs).canList
            case .rootfs: !FileReader(root: rootfs).canList
            }
        }
    }

    /// node_exporter's default of `--collector.filesystem.mount-points-exclude`.
    package static let defaultExcludedMountPoints = NamePattern(
        known: "^/(dev|proc|run/credentials/.+|sys|var/lib/docker/.+|var/lib/containers/storage/.+)($|/)"
    )
    /// node_exporter's default of `--collector.filesystem.fs-types-exclude`.
    package static let defaultExcludedFilesystemTypes = NamePattern(
        known: """
            ^(autofs|binfmt_misc|bpf|cgroup2?|configfs|debugfs|devpts|devtmpfs|fusectl|hugetlbfs|iso9660|mqueue|nsfs|overlay|\
            proc|procfs|pstore|rpc_pipefs|securityfs|selinuxfs|squashfs|erofs|sysfs|tracefs)$
            """
    )
    /// node_exporter's default of `--collector.diskstats.device-exclude`.
    package static let defaultExcludedDisks = NamePattern(
        known: #"^(z?ram|loop|fd|(h|s|v|xv)d[a-z]|nvme\d+n\d+p)\d+$"#
    )
    /// node_exporter's default of `--collector.vmstat.fields`.
    package static let defaultVMStatFields = NamePattern(known: "^(oom_kill|pgpg|pswp|pg.*fault).*")
    /// node_exporter's default of `--collector.netstat.fields`.
    package static let defaultNetstatFields = NamePattern(
        known: """
            ^(.*_(InErrors|InErrs)|Ip_Forwarding|Ip(6|Ext)_(InOctets|OutOctets)|Icmp6?_(InMsgs|OutMsgs)|\
            TcpExt_(Listen.*|Syncookies.*|TCPSynRetrans|TCPTimeouts|TCPOFOQueue|TCPRcvQDrop)|\
            Tcp_(ActiveOpens|InSegs|OutSegs|OutRsts|PassiveOpens|RetransSegs|CurrEstab)|\
            Udp6?_(InDatagrams|OutDatagrams|NoPorts|RcvbufErrors|SndbufErrors))$
            """
    )
}
