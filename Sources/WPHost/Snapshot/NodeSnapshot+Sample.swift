// SPDX-License-Identifier: MIT

import WPCore

extension NodeSnapshot {
    /// Creates the snapshot of a sample.
    /// - Parameters:
    ///   - sample: the sample.
    ///   - nodeName: the name of the node on the hub; nil for the host name.
    public init(_ sample: HostSample, nodeName: String? = nil) {
        self.init(sample, nodeName: nodeName, since: nil)
    }

    /// - Parameter earlier: the sample from which usages and rates are computed; nil for the previous one.
    package init(_ sample: HostSample, nodeName: String?, since earlier: HostSample?) {
        // A hub rejects a node without a name, and the collector of the host name may be disabled.
        let name = nodeName ?? sample.uname?.node ?? SystemCalls.name(domain: "")?.node
        self.init(nodeName: name ?? "", timestamp: RFC3339.string(secondsSince1970: sample.time))
        hostname = sample.uname?.node
        os = sample.os.flatMap { $0["PRETTY_NAME"] ?? $0["NAME"] }
        kernel = sample.uname?.release
        uptime = sample.kernel?.bootTime.map { max((sample.time - Double($0)).rounded(.down), 0) }
        cpu = Self.cpu(sample, since: earlier?.cpu)
        memory = sample.memory.map(Self.memory)
        let seconds = sample.times[.system].flatMap { $0.seconds(since: earlier?.times[.system]) }
        let span = earlier.flatMap { earlier in seconds.map { Span(earlier: earlier, seconds: $0) } }
        disks = Self.disks(sample, span)
        networks = Self.networks(sample, span)
        temperature = Self.temperature(sample)
        processes = (sample.processes?.busiest ?? []).map { Self.process($0, sample.memory?.total) }
    }

    /// The time since an earlier sample.
    private struct Span {
        let earlier: HostSample
        let seconds: Double

        func rates(of disk: DiskSample) -> DiskSample.Rates? {
            let old = earlier.disks?.first { ExactText($0.device) == ExactText(disk.device) }
            return disk.rates(since: old, seconds)
        }

        func rates(of interface: InterfaceTraffic) -> InterfaceTraffic.Rates? {
            let old = earlier.traffic?.first { ExactText($0.device) == ExactText(interface.device) }
            return interface.rates(since: old?.counters, seconds)
        }
    }

    private static func cpu(_ sample: HostSample, since earlier: CPUSample?) -> CPU? {
        guard sample.cpu != nil || sample.load != nil else { return nil }
        var cpu = CPU()
        let usages = sample.cpu?.usages(since: earlier)
        let usage = usages?.total
        cpu.usagePercent = usage?.busy
        cpu.userPercent = usage?.user
        cpu.systemPercent = usage?.system
        cpu.idlePercent = usage?.idle
        cpu.iowaitPercent = usage?.iowait
        let cores = (usages?.cores ?? []).compactMap { $0?.busy }
        cpu.perCore = cores.isEmpty ? nil : cores
        (cpu.load1, cpu.load5, cpu.load15) = (sample.load?.one, sample.load?.five, sample.load?.fifteen)
        cpu.model = sample.processor?.model
        cpu.threads = sample.processor?.threads ?? sample.cpu.map(\.cores.count)
        cpu.cores = sample.processor?.cores
        let rates = (sample.frequencies ?? []).compactMap(\.current)
        cpu.frequency =
            rates.isEmpty ? sample.processor?.megahertz : rates.reduce(0, +) / Double(rates.count) / 1e6
        return cpu
    }

    private static func memory(_ sample: MemorySample) -> Memory {
        var memory = Memory()
        memory.total = sample.total
        memory.used = sample.used
        memory.available = sample.available
        memory.free = sample["MemFree"]
        memory.usagePercent = percent(sample.used, of: sample.total)
        memory.cached = sample["Cached"]
        memory.buffers = sample["Buffers"]
        memory.swapTotal = sample["SwapTotal"]
        memory.swapUsed = sample.swapUsed
        memory.swapFree = sample["SwapFree"]
        memory.swapPercent = percent(sample.swapUsed, of: sample["SwapTotal"])
        return memory
    }

    private static func percent(_ part: UInt64?, of whole: UInt64?) -> Double? {
        guard let part, let whole, whole > 0 else { return nil }
        return Double(part) / Double(whole) * 100
    }

    /// File systems that store data: on block devices and on the network. One with several mount points is listed once,
    /// with the first.
    private static func disks(_ sample: HostSample, _ span: Span?) -> [Disk] {
        var seen: Set<ExactText> = []
        return (sample.filesystems ?? []).compactMap { filesystem in
            guard filesystem.device.hasPrefix("/dev/") || isStorage(filesystem.type),
                seen.insert(ExactText(filesystem.device)).inserted
            else { return nil }
            var disk = Disk(device: filesystem.device, mountPoint: filesystem.mountPoint)
            disk.filesystemType = filesystem.type
            disk.total = filesystem.size
            disk.used = filesystem.used
            disk.available = filesystem.available
            disk.usagePercent = filesystem.usedPercent
            guard let device = blockDevice(of: filesystem, sample.disks ?? []) else { return disk }
            disk.readBytes = device[.readSectors].flatMap { product($0, 512) }
            disk.writtenBytes = device[.writtenSectors].flatMap { product($0, 512) }
            let rates = span?.rates(of: device) ?? device.rates
            disk.readRate = rates?.read
            disk.writeRate = rates?.written
            disk.readIOPS = rates?.reads
            disk.writeIOPS = rates?.writes
            disk.utilization = rates?.utilization
            if let rates { disk.iops = rates.reads + rates.writes }
            return disk
        }
    }

    private static func isStorage(_ type: String) -> Bool {
        let types: Set<String> = [
            "zfs", "nfs", "nfs4", "cifs", "smb3", "ceph", "glusterfs", "lustre", "9p", "virtiofs", "afs",
        ]
        return types.contains(type) || type.hasPrefix("fuse.")
    }

    /// Finds the block device of a file system by its device numbers. File systems with their own device numbers, such
    /// as btrfs, are found by name.
    private static func blockDevice(of filesystem: FilesystemSample, _ disks: [DiskSample]) -> DiskSample? {
        if let disk = disks.first(where: { $0.major == filesystem.major && $0.minor == filesystem.minor }) {
            return disk
        }
        guard filesystem.device.hasPrefix("/dev/") else { return nil }
        let name = filesystem.device.dropFirst(5)
        return disks.first { disk in
            disk.device == name || disk.mapperName.map { name == "mapper/" + $0 } ?? false
        }
    }

    /// Hardware interfaces, bonds and similar ones; not those of containers and virtual machines, whose traffic also
    /// passes through the others.
    private static func networks(_ sample: HostSample, _ span: Span?) -> [Network] {
        let virtual = ["docker", "veth", "br-", "virbr", "vnet", "cni", "flannel", "cali"]
        let traffic = Dictionary(
            (sample.traffic ?? []).map { (ExactText($0.device), $0) },
            uniquingKeysWith: { first, _ in first }
        )
        let interfaces = Dictionary(
            (sample.interfaces ?? []).map { (ExactText($0.device), $0) },
            uniquingKeysWith: { first, _ in first }
        )
        let names = (sample.traffic?.map(\.device) ?? sample.interfaces?.map(\.device) ?? [])
        return names.filter { name in name != "lo" && !virtual.contains { name.hasPrefix($0) } }.map { name in
            var network = Network(interface: name)
            network.ipAddress = address(of: name, sample.addresses ?? [])
            let interface = interfaces[ExactText(name)]
            network.macAddress = interface?[.address]
            network.status = interface?[.operstate]
            network.speed = interface?[.speed]
            network.mtu = interface?[.mtu]
            guard let counters = traffic[ExactText(name)] else { return network }
            network.receivedBytes = counters[.receivedBytes]
            network.sentBytes = counters[.sentBytes]
            network.receivedPackets = counters[.receivedPackets]
            network.sentPackets = counters[.sentPackets]
            let rates = span?.rates(of: counters) ?? counters.rates
            network.receiveRate = rates?.received
            network.sendRate = rates?.sent
            network.receivedPacketRate = rates?.receivedPackets
            network.sentPacketRate = rates?.sentPackets
            network.receiveErrors = counters[.receiveErrors]
            network.sendErrors = counters[.sendErrors]
            network.receiveDrops = counters[.receiveDrops]
            network.sendDrops = counters[.sendDrops]
            return network
        }
    }

    /// The address by which a host is most likely known: IPv4 before IPv6, and link-local addresses last.
    private static func address(of device: String, _ addresses: [InterfaceAddress]) -> String? {
        addresses.filter { ExactText($0.device) == ExactText(device) }
            .min { ($0.isLinkLocal ? 2 : 0) + ($0.isIPv6 ? 1 : 0) < ($1.isLinkLocal ? 2 : 0) + ($1.isIPv6 ? 1 : 0) }?
            .address
    }

    private static func process(_ sample: ProcessSample, _ memory: UInt64?) -> Process {
        var process = Process(pid: sample.pid, name: sample.name)
        process.commandLine = sample.commandLine
        process.user = sample.user
        process.status = sample.state
        process.cpuPercent = sample.cpuPercent
        process.memoryPercent = percent(sample.residentBytes, of: memory)
        process.residentBytes = sample.residentBytes
        process.threads = sample.threads
        process.startTime = sample.startTime.flatMap { Int64(exactly: $0.rounded(.down)) }
        return process
    }
}
