// SPDX-License-Identifier: MIT

/// What a ``HostSampler`` reads, and from where.
public struct HostConfiguration: Sendable, Hashable {
    /// Where procfs is mounted.
    public var procfs = "/proc"
    /// Where sysfs is mounted.
    public var sysfs = "/sys"
    /// Where the host's root directory is mounted; mount points are looked up below it.
    public var rootfs = "/"
    /// The directory of udev's database of devices; nil for `/run/udev/data` below ``rootfs``.
    package var udevData: String?
    /// The collectors that run. ``HostCollectorName/processes`` costs the most.
    public var collectors = Set(HostCollectorName.allCases)
    /// How long one read of a file of sysfs may take before the sample continues without it. Default 500 ms.
    public var callDeadline = Duration.milliseconds(500)
    /// How long one statvfs(3) may take before the sample continues without it. Default 500 ms.
    package var mountDeadline = Duration.milliseconds(500)
    /// How many processes are listed by processor time, and how many by memory. Default 10; with 0 they are only counted.
    public var topProcesses = 10
    /// Whether the command lines of those processes are read. Default false: they may hold secrets.
    public var includesCommandLines = false
    /// Mount points that are left out, with everything below them where the expression says so.
    public var excludedMountPoints = Self.defaultExcludedMountPoints
    /// Types of file systems that are left out.
    public var excludedFilesystemTypes = Self.defaultExcludedFilesystemTypes
    /// Block devices that are left out.
    public var excludedDisks = Self.defaultExcludedDisks
    /// Network interfaces whose traffic is left out; nil for none.
    package var excludedTraffic: NamePattern?
    /// Network interfaces whose attributes are left out; nil for none.
    package var excludedInterfaces: NamePattern?
    /// hwmon chips that are left out; nil for none.
    package var excludedChips: NamePattern?
    /// Sensors of hwmon that are left out, as `CHIP;SENSOR`; nil for none.
    package var excludedSensors: NamePattern?
    /// Network interfaces whose neighbours are left out; nil for none.
    package var excludedNeighbours: NamePattern?
    /// Power supplies that are left out; nil for none.
    package var excludedPowerSupplies: NamePattern?
    /// Tape drives that are left out; nil for none.
    package var excludedTapes: NamePattern?
    /// If it is there, mount points that do not match are left out; so with the next ones.
    package var includedMountPoints: NamePattern?
    package var includedFilesystemTypes: NamePattern?
    package var includedDisks: NamePattern?
    package var includedTraffic: NamePattern?
    package var includedChips: NamePattern?
    package var includedSensors: NamePattern?
    package var includedNeighbours: NamePattern?
    /// The fields of `/proc/vmstat` that are kept.
    package var includedVMStatFields = Self.defaultVMStatFields
    /// The fields of `/proc/net/netstat`, `snmp` and `snmp6` that are kept, such as `Tcp_CurrEstab`.
    package var includedNetstatFields = Self.defaultNetstatFields
    /// The directory whose `.prom` files are read; nil for none.
    package var textFileDirectory: String?

    /// Creates a configuration with node_exporter's defaults.
    public init() {}

    /// A directory of the host.
    package enum Root: Sendable, CaseIterable { case procfs, sysfs, rootfs }

    /// The directories that are not there, or are something else. It blocks.
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
