// SPDX-License-Identifier: MIT

import WPCore

/// One block device.
package struct DiskSample: Sendable, Hashable {
    /// The kernel's counters, in the order of the columns of `/proc/diskstats` (Documentation/admin-guide/iostats.rst).
    /// Sectors have 512 bytes; times are in milliseconds.
    package enum Counter: Int, Sendable, CaseIterable {
        case reads, mergedReads, readSectors, readTime, writes, mergedWrites, writtenSectors, writeTime
        case inFlight, ioTime, weightedTime
        /// Since Linux 4.18.
        case discards, mergedDiscards, discardedSectors, discardTime
        /// Since Linux 5.5.
        case flushes, flushTime
    }

    /// The rates of the device since the last sample.
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
    /// The device in udev's database; nil if unknown.
    package internal(set) var identity: DiskIdentity?
    /// The counters that this kernel reports.
    let counters: [UInt64]
    /// Nil in the first sample and after a counter decreased.
    package internal(set) var rates: Rates?

    init(major: UInt64, minor: UInt64, device: String, counters: [UInt64]) {
        (self.major, self.minor, self.device, self.counters) = (major, minor, device, counters)
    }

    /// The rates of the device since an earlier sample; nil if a counter decreased, or if the name belonged to another
    /// device then.
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

    /// A counter; nil if this kernel does not report it.
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
struct DiskstatsCollector: HostCollector {
    static let name = "diskstats"

    private static let counters:
        [(counter: DiskSample.Counter, name: String, help: String, factor: Double, divisor: Double)] = [
            (.reads, "reads_completed_total", "Reads that were completed.", 1, 1),
            (.mergedReads, "reads_merged_total", "Reads that were merged into others.", 1, 1),
            (.readSectors, "read_bytes_total", "Bytes that were read.", 512, 1),
            (.readTime, "read_time_seconds_total", "Time of all reads.", 1, 1000),
            (.writes, "writes_completed_total", "Writes that were completed.", 1, 1),
            (.mergedWrites, "writes_merged_total", "Writes that were merged into others.", 1, 1),
            (.writtenSectors, "written_bytes_total", "Bytes that were written.", 512, 1),
            (.writeTime, "write_time_seconds_total", "Time of all writes.", 1, 1000),
            (.inFlight, "io_now", "Requests that are in flight.", 1, 1),
            (.ioTime, "io_time_seconds_total", "Time in which a request was in flight.", 1, 1000),
            (
                .weightedTime, "io_time_weighted_seconds_total",
                "Time in which requests were in flight, times their number.", 1, 1000
            ),
            (.discards, "discards_completed_total", "Discards that were completed.", 1, 1),
            (.mergedDiscards, "discards_merged_total", "Discards that were merged.", 1, 1),
            (.discardedSectors, "discarded_sectors_total", "Sectors that were discarded.", 1, 1),
            (.discardTime, "discard_time_seconds_total", "Time of all discards.", 1, 1000),
            (.flushes, "flush_requests_total", "Flushes that were completed.", 1, 1),
            (.flushTime, "flush_requests_time_seconds_total", "Time of all flushes.", 1, 1000),
        ]

    private let excluded: NameFilter
    private var last: (time: TimePoint, disks: [ExactText: DiskSample])?

    init(_ configuration: HostConfiguration) {
        excluded = NameFilter(configuration.excludedDisks, included: configuration.includedDisks)
    }

    mutating func collect(_ context: inout CollectionContext) -> [DiskSample]? {
        let seconds = context.now.seconds(since: last?.time)
        var disks: [DiskSample] = []
        let isRead = context.readLines(context.proc, "diskstats") { line in
            var fields = ByteScanner(line)
            guard let major = fields.unsigned(), let minor = fields.unsigned(), let device = fields.field()?.string
            else { return false }
            if excluded.matches(device) { return true }
            guard let counters = Self.columns(&fields) else { return false }
            var disk = DiskSample(major: major, minor: minor, device: device, counters: counters)
            disk.rates = seconds.flatMap { disk.rates(since: last?.disks[ExactText(device)], $0) }
            disks.append(disk)
            return true
        }
        guard isRead else { return nil }
        disks = withMapperNames(disks, &context)
        for (index, identity) in context.identities(of: disks).enumerated() { disks[index].identity = identity }
        last = (
            context.now, Dictionary(disks.map { (ExactText($0.device), $0) }, uniquingKeysWith: { first, _ in first })
        )
        return disks
    }

    static func addFamilies(of disks: [DiskSample], to families: inout HostFamilies) {
        for disk in disks {
            let (device, identity) = (["device", disk.device], disk.identity)
            let info =
                device + [
                    "major", String(disk.major), "minor", String(disk.minor), "model", identity?["ID_MODEL"] ?? "",
                    "path", identity?["ID_PATH"] ?? "", "revision", identity?["ID_REVISION"] ?? "", "rotational",
                    identity?.rotational ?? "", "serial", identity?.serial ?? "", "wwn", identity?["ID_WWN"] ?? "",
                ]
            families.add("disk_info", "Properties of a device from udev.", labels: info, 1)
            if let identity { add(identity, of: device, to: &families) }
            for counter in counters {
                let value = disk[counter.counter].map { Double($0) * counter.factor / counter.divisor }
                families.add("disk_" + counter.name, counter.help, labels: device, value)
            }
        }
    }

    private static func add(_ identity: DiskIdentity, of device: [String], to families: inout HostFamilies) {
        func info(_ properties: KeyValuePairs<String, String>) -> [String] {
            device + properties.flatMap { [$0.key, identity[$0.value] ?? ""] }
        }
        if identity["DM_NAME"]?.isEmpty == false {
            let labels = info([
                "name": "DM_NAME", "uuid": "DM_UUID", "vg_name": "DM_VG_NAME", "lv_name": "DM_LV_NAME",
                "lv_layer": "DM_LV_LAYER",
            ])
            families.add("disk_device_mapper_info", "A device-mapper device.", labels: labels, 1)
        }
        if identity["ID_FS_TYPE"]?.isEmpty == false {
            let labels = info([
                "type": "ID_FS_TYPE", "usage": "ID_FS_USAGE", "uuid": "ID_FS_UUID", "version": "ID_FS_VERSION",
            ])
            families.add("disk_filesystem_info", "The file system of a device.", labels: labels, 1)
        }
        guard identity["ID_ATA"] != nil else { return }
        for (name, property, help) in [
            ("write_cache", "ID_ATA_WRITE_CACHE", "Whether an ATA disk has a write cache."),
            ("write_cache_enabled", "ID_ATA_WRITE_CACHE_ENABLED", "Whether an ATA disk's write cache is enabled."),
            ("rotation_rate_rpm", "ID_ATA_ROTATION_RATE_RPM", "Rotations of an ATA disk per minute; 0 for an SSD."),
        ] { families.add("disk_ata_" + name, help, labels: device, identity[property].flatMap { UInt64($0) }) }
    }

    /// The counters of a line; nil unless all are numbers and their count is that of a known kernel version.
    private static func columns(_ fields: inout ByteScanner) -> [UInt64]? {
        var counters: [UInt64] = []
        while let field = fields.field() {
            guard let value = field.unsigned else { return nil }
            counters.append(value)
        }
        return counters.count == 4 || counters.count >= 11 ? counters : nil
    }

    private mutating func withMapperNames(_ disks: [DiskSample], _ context: inout CollectionContext) -> [DiskSample] {
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

extension HostSample {
    /// Block devices, in the kernel's order.
    package var disks: [DiskSample]? { self[DiskstatsCollector.self] }
}
