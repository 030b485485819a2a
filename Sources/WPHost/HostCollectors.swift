// SPDX-License-Identifier: MIT

/// The list of collectors, the only place where they are registered.
package enum HostCollectors {
    /// All collectors, in the order of settings and reports.
    package static let all: [any HostCollector.Type] = [
        CPUCollector.self,
        CPUFreqCollector.self,
        CPUInfoCollector.self,
        StatCollector.self,
        LoadavgCollector.self,
        MeminfoCollector.self,
        FilesystemCollector.self,
        DiskstatsCollector.self,
        NetdevCollector.self,
        NetclassCollector.self,
        AddressesCollector.self,
        HwmonCollector.self,
        ThermalZoneCollector.self,
        PressureCollector.self,
        VmstatCollector.self,
        FilefdCollector.self,
        ConntrackCollector.self,
        EntropyCollector.self,
        UnameCollector.self,
        OSCollector.self,
        TimexCollector.self,
        TimeCollector.self,
        MdadmCollector.self,
        BondingCollector.self,
        NetstatCollector.self,
        SockstatCollector.self,
        SoftnetCollector.self,
        UDPQueuesCollector.self,
        ARPCollector.self,
        SchedstatCollector.self,
        SoftirqsCollector.self,
        EDACCollector.self,
        DMICollector.self,
        NVMeCollector.self,
        PowerSupplyClassCollector.self,
        RAPLCollector.self,
        WatchdogCollector.self,
        SELinuxCollector.self,
        TextFileCollector.self,
        CPUStateCollector.self,
        CPUVulnerabilitiesCollector.self,
        KernelHungCollector.self,
        BcacheCollector.self,
        BtrfsCollector.self,
        DMMultipathCollector.self,
        FibreChannelCollector.self,
        InfinibandCollector.self,
        IPVSCollector.self,
        NFSCollector.self,
        NFSDCollector.self,
        TapestatsCollector.self,
        XFSCollector.self,
        ZFSCollector.self,
        CgroupCollector.self,
        ProcessesCollector.self,
    ]
}

/// The name of a collector, which is that of node_exporter's equivalent if there is one.
public struct HostCollectorName: RawRepresentable, Sendable, Hashable, CaseIterable, ExpressibleByStringLiteral {
    /// The names of all collectors.
    public static let allCases = HostCollectors.all.map { HostCollectorName(of: $0) }
    /// The names of the collectors that run by default.
    public static let defaults = Set(HostCollectors.all.filter { $0.isOnByDefault }.map { HostCollectorName(of: $0) })

    /// The name as text.
    public let rawValue: String

    /// The name of a collector; nil if no collector has this name.
    public init?(rawValue: String) {
        guard HostCollectors.all.contains(where: { $0.name == rawValue }) else { return nil }
        self.rawValue = rawValue
    }

    /// The name of a collector, which must exist.
    public init(stringLiteral value: String) {
        precondition(HostCollectors.all.contains { $0.name == value }, "there is no collector \(value)")
        rawValue = value
    }

    init(of collector: any HostCollector.Type) {
        rawValue = collector.name
    }
}

/// Collectors that are sampled together, at a common interval.
public enum HostSampleGroup: String, Sendable, Hashable, CaseIterable {
    /// The collector `cpu` alone.
    case cpu
    /// The collector `processes` alone.
    case processes
    /// All other collectors.
    case system
}
