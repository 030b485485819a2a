// SPDX-License-Identifier: MIT

import WPHost
import WPMetrics

extension FamilyBuilder {
    mutating func addFilesystems(_ filesystems: [FilesystemSample]) {
        let sets = filesystems.map {
            labels("device", $0.device, "fstype", $0.type, "mountpoint", $0.mountPoint)
        }
        func each(_ value: (FilesystemSample) -> Double?) -> [(LabelSet?, Double?)] {
            zip(sets, filesystems).map { ($0, value($1)) }
        }
        add("node_filesystem_size_bytes", "Size of a file system.", each { $0.size.map { Double($0) } })
        add("node_filesystem_free_bytes", "Space that is free for root.", each { $0.free.map { Double($0) } })
        add(
            "node_filesystem_avail_bytes",
            "Space that is free for all users.",
            each { $0.available.map { Double($0) } }
        )
        add("node_filesystem_files", "Files that a file system can have.", each { $0.space.map { Double($0.files) } })
        add(
            "node_filesystem_files_free",
            "Files that can still be made.",
            each { $0.space.map { Double($0.freeFiles) } }
        )
        add("node_filesystem_readonly", "Whether a file system is read-only.", each { $0.isReadOnly ? 1 : 0 })
        add(
            "node_filesystem_device_error",
            "Whether a file system could not be asked for its space.",
            each { $0.space == nil ? 1 : 0 }
        )
    }

    private mutating func addProperties(_ disks: [DiskSample]) {
        func info(_ name: String, _ help: String, _ first: String, _ properties: [(String, String)]) {
            let members = disks.filter { $0.identity?[first]?.isEmpty == false }.map { disk in
                (labels.set(["device", disk.device] + properties.flatMap { [$0.0, disk.identity?[$0.1] ?? ""] }), 1.0)
            }
            add("node_disk_" + name, help, members)
        }
        info(
            "device_mapper_info",
            "A device of the device mapper.",
            "DM_NAME",
            [
                ("name", "DM_NAME"), ("uuid", "DM_UUID"), ("vg_name", "DM_VG_NAME"), ("lv_name", "DM_LV_NAME"),
                ("lv_layer", "DM_LV_LAYER"),
            ]
        )
        info(
            "filesystem_info",
            "The file system of a device.",
            "ID_FS_TYPE",
            [("type", "ID_FS_TYPE"), ("usage", "ID_FS_USAGE"), ("uuid", "ID_FS_UUID"), ("version", "ID_FS_VERSION")]
        )
        for (name, property, help) in [
            ("write_cache", "ID_ATA_WRITE_CACHE", "Whether an ATA disk has a write cache."),
            ("write_cache_enabled", "ID_ATA_WRITE_CACHE_ENABLED", "Whether an ATA disk's write cache is on."),
            ("rotation_rate_rpm", "ID_ATA_ROTATION_RATE_RPM", "Rotations of an ATA disk per minute; 0 for an SSD."),
        ] {
            let members = disks.filter { $0.identity?["ID_ATA"] != nil }.map { disk in
                (labels("device", disk.device), disk.identity?[property].flatMap { UInt64($0) }.map { Double($0) })
            }
            add("node_disk_ata_" + name, help, members)
        }
    }

    mutating func addDisks(_ disks: [DiskSample]) {
        let sets = disks.map { labels("device", $0.device) }
        add(
            "node_disk_info",
            "What udev knows of a device.",
            disks.map { disk in
                let identity = disk.identity
                return (
                    labels(
                        "device",
                        disk.device,
                        "major",
                        String(disk.major),
                        "minor",
                        String(disk.minor),
                        "model",
                        identity?.model ?? "",
                        "path",
                        identity?.path ?? "",
                        "revision",
                        identity?.revision ?? "",
                        "rotational",
                        identity?.rotational ?? "",
                        "serial",
                        identity?.serial ?? "",
                        "wwn",
                        identity?.wwn ?? ""
                    ), 1
                )
            }
        )
        addProperties(disks)
        for family in DiskFamily.all {
            add(
                "node_disk_" + family.name,
                family.help,
                type: family.type,
                zip(sets, disks).map { labels, disk in
                    (labels, disk[family.counter].map { Double($0) * family.factor / family.divisor })
                }
            )
        }
    }
}

/// A family of a counter of block devices.
private struct DiskFamily {
    let counter: DiskSample.Counter
    let name: String
    let help: String
    var type = MetricType.counter
    var factor = 1.0
    var divisor = 1.0

    static let all: [DiskFamily] = [
        DiskFamily(counter: .reads, name: "reads_completed_total", help: "Reads that were completed."),
        DiskFamily(counter: .mergedReads, name: "reads_merged_total", help: "Reads that were merged into others."),
        DiskFamily(counter: .readSectors, name: "read_bytes_total", help: "Bytes that were read.", factor: 512),
        DiskFamily(counter: .readTime, name: "read_time_seconds_total", help: "Time of all reads.", divisor: 1000),
        DiskFamily(counter: .writes, name: "writes_completed_total", help: "Writes that were completed."),
        DiskFamily(counter: .mergedWrites, name: "writes_merged_total", help: "Writes that were merged into others."),
        DiskFamily(
            counter: .writtenSectors,
            name: "written_bytes_total",
            help: "Bytes that were written.",
            factor: 512
        ),
        DiskFamily(counter: .writeTime, name: "write_time_seconds_total", help: "Time of all writes.", divisor: 1000),
        DiskFamily(counter: .inFlight, name: "io_now", help: "Requests that are in flight.", type: .gauge),
        DiskFamily(
            counter: .ioTime,
            name: "io_time_seconds_total",
            help: "Time in which a request was in flight.",
            divisor: 1000
        ),
        DiskFamily(
            counter: .weightedTime,
            name: "io_time_weighted_seconds_total",
            help: "Time in which requests were in flight, times their number.",
            divisor: 1000
        ),
        DiskFamily(counter: .discards, name: "discards_completed_total", help: "Discards that were completed."),
        DiskFamily(counter: .mergedDiscards, name: "discards_merged_total", help: "Discards that were merged."),
        DiskFamily(counter: .discardedSectors, name: "discarded_sectors_total", help: "Sectors that were discarded."),
        DiskFamily(
            counter: .discardTime,
            name: "discard_time_seconds_total",
            help: "Time of all discards.",
            divisor: 1000
        ),
        DiskFamily(counter: .flushes, name: "flush_requests_total", help: "Flushes that were completed."),
        DiskFamily(
            counter: .flushTime,
            name: "flush_requests_time_seconds_total",
            help: "Time of all flushes.",
            divisor: 1000
        ),
    ]
}
