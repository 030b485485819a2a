// SPDX-License-Identifier: MIT

/// One block device.
package struct DiskSample: Sendable, Hashable {
    /// What the kernel counts, in the order of the columns of `/proc/diskstats` (Documentation/admin-guide/iostats.rst).
    /// Sectors are of 512 bytes, times in milliseconds.
    package enum Counter: Int, Sendable, CaseIterable {
        case reads, mergedReads, readSectors, readTime, writes, mergedWrites, writtenSectors, writeTime
        case inFlight, ioTime, weightedTime
        /// Since Linux 4.18.
        case discards, mergedDiscards, discardedSectors, discardTime
        /// Since Linux 5.5.
        case flushes, flushTime
    }

    /// What the device did per second since the last sample.
    package struct Rates: Sendable, Hashable {
        /// Bytes per second.
        package let read, written: Double
        /// Completed requests per second.
        package let reads, writes: Double
        /// The share of the time in which a request was in flight, in percent, at most 100; nil for a partition of an
        /// old kernel, which does not count it.
        package let utilization: Double?
    }

    package let major, minor: UInt64
    /// The kernel's name, such as `dm-0`.
    package let device: String
    /// The name that LVM or LUKS gave to a `dm` device, as below `/dev/mapper`; nil for other devices.
    package internal(set) var mapperName: String?
    /// What udev knows of the device; nil when nothing.
    package internal(set) var identity: DiskIdentity?
    /// As many as this kernel has.
    let counters: [UInt64]
    /// Nil in the first sample, and after a counter went back.
    package internal(set) var rates: Rates?

    init(major: UInt64, minor: UInt64, device: String, counters: [UInt64]) {
        (self.major, self.minor, self.device, self.counters) = (major, minor, device, counters)
    }

    /// What the device did per second since an earlier reading; nil when a counter went back meanwhile, or when that was
    /// another device of the same name.
    func rates(since old: DiskSample?, _ seconds: Double) -> Rates? {
        guard let old, old.major == major, old.minor == minor,
            let readSectors = rate(self[.readSectors], old[.readSectors], seconds),
            let writtenSectors = rate(self[.writtenSectors], old[.writtenSectors], seconds),
            let reads = rate(self[.reads], old[.reads], seconds),
            let writes = rate(self[.writes], old[.writes], seconds)
        else { return nil }
        return Rates(
            read: readSectors * 512,
            written: writtenSectors * 512,
            reads: reads,
            writes: writes,
            utilization: rate(self[.ioTime], old[.ioTime], seconds).map { min($0 / 10, 100) }
        )
    }

    /// A counter; nil when this kernel does not have it.
    package subscript(counter: Counter) -> UInt64? {
        // Partitions of kernels before 2.6.25 have four columns.
        if counters.count == 4 {
            switch counter {
            case .reads: return counters[0]
            case .readSectors: return counters[1]
            case .writes: return counters[2]
            case .writtenSectors: return counters[3]
            default: return nil
            }
        }
        return counter.rawValue < counters.count ? counters[counter.rawValue] : nil
    }
}

/// Reads `/proc/diskstats`, and the names of `dm` devices from sysfs.
struct DiskCollector: HostCollector {
    static let name = HostCollectorName.diskstats
    static let part: HostPart<[DiskSample]> = \.disks

    private var excluded: NameFilter
    private var identities = DiskIdentities()
    private var last: (time: HostTime, disks: [ExactText: DiskSample])?

    init(_ excluded: NameFilter) {
        self.excluded = excluded
    }

    init(excluded: NamePattern) {
        self.init(NameFilter(excluded))
    }

    mutating func collect(_ context: inout CollectionContext) -> [DiskSample]? {
        let seconds = context.now.seconds(since: last?.time)
        var damaged: [String] = []
        var disks: [DiskSample] = []
        let isRead: Void? = context.read(context.proc, "diskstats") { bytes in
            var scanner = ByteScanner(bytes)
            while let line = scanner.line() {
                var fields = ByteScanner(line)
                guard let major = fields.unsigned(), let minor = fields.unsigned(), let device = fields.field()?.string
                else {
                    damaged.append(line.string)
                    continue
                }
                if excluded.matches(device) { continue }
                guard let counters = Self.counters(&fields) else {
                    damaged.append(line.string)
                    continue
                }
                disks.append(sample(major, minor, device, counters, seconds))
            }
        }
        for line in damaged { context.malformed(context.proc, "diskstats", line) }
        guard isRead != nil else { return nil }
        disks = named(disks, &context)
        identities.refresh(disks, &context)
        for index in disks.indices { disks[index].identity = identities[disks[index]] }
        last = (
            context.now, Dictionary(disks.map { (ExactText($0.device), $0) }, uniquingKeysWith: { first, _ in first })
        )
        return disks
    }

    /// The counters of a line; nil unless there are as many as a kernel ever had, all numbers.
    private static func counters(_ fields: inout ByteScanner) -> [UInt64]? {
        var counters: [UInt64] = []
        counters.reserveCapacity(DiskSample.Counter.allCases.count)
        while let field = fields.field() {
            guard let value = field.unsigned else { return nil }
            guard counters.count < DiskSample.Counter.allCases.count else { break }
            counters.append(value)
        }
        return counters.count == 4 || counters.count >= 11 ? counters : nil
    }

    private func sample(
        _ major: UInt64,
        _ minor: UInt64,
        _ device: String,
        _ counters: [UInt64],
        _ seconds: Double?
    ) -> DiskSample {
        var disk = DiskSample(major: major, minor: minor, device: device, counters: counters)
        disk.rates = seconds.flatMap { disk.rates(since: last?.disks[ExactText(device)], $0) }
        return disk
    }

    private mutating func named(_ disks: [DiskSample], _ context: inout CollectionContext) -> [DiskSample] {
        let mapped = disks.filter { $0.device.hasPrefix("dm-") }
        guard !mapped.isEmpty else { return disks }
        let sys = context.sys
        let values = context.readAttributes(mapped.map { sys.path("block/\($0.device)/dm/name") })
        var names: [ExactText: String] = [:]
        for (disk, value) in zip(mapped, values) {
            guard let name = value?.scanned({ $0.trimmed.string }), !name.isEmpty else { continue }
            names[ExactText(disk.device)] = name
        }
        return disks.map { disk in
            var disk = disk
            disk.mapperName = names[ExactText(disk.device)]
            return disk
        }
    }
}
