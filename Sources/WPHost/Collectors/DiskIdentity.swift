// SPDX-License-Identifier: MIT

import WPCore

/// A block device's properties in udev's database; each may be empty.
package struct DiskIdentity: Sendable, Hashable {
    /// The path to the device, such as `pci-0000:00:1f.2-ata-1` (`ID_PATH`).
    package internal(set) var path = ""
    /// Its World Wide Name (`ID_WWN`).
    package internal(set) var wwn = ""
    /// Its model (`ID_MODEL`).
    package internal(set) var model = ""
    /// Its serial number, as printed on its label (`SCSI_IDENT_SERIAL`, else `ID_SERIAL_SHORT`, else `ID_SERIAL`).
    package internal(set) var serial = ""
    /// The revision of its firmware (`ID_REVISION`).
    package internal(set) var revision = ""
    /// Whether it has rotating disks: `1` or `0`, or empty.
    package internal(set) var rotational = ""
    /// Its other properties, such as `DM_NAME` and `ID_FS_UUID`.
    private var properties: [String: String] = [:]

    /// A udev property by name; nil if absent.
    package subscript(name: String) -> String? { properties[name] }

    private static let names: Set<String> = [
        "DM_NAME", "DM_UUID", "DM_VG_NAME", "DM_LV_NAME", "DM_LV_LAYER", "ID_FS_TYPE", "ID_FS_USAGE", "ID_FS_UUID",
        "ID_FS_VERSION", "ID_ATA", "ID_ATA_WRITE_CACHE", "ID_ATA_WRITE_CACHE_ENABLED", "ID_ATA_ROTATION_RATE_RPM",
    ]

    init() {}

    /// Reads udev's file of a device (udev_device(3)): one `E:NAME=VALUE` per property.
    init(_ bytes: Bytes) {
        var shortSerial = ""
        var longSerial = ""
        var scanner = ByteScanner(bytes)
        while let line = scanner.line() {
            guard line.hasPrefix("E:") else { continue }
            var fields = ByteScanner(line.dropping(2))
            guard let name = fields.prefix(upTo: UInt8(ascii: "="))?.string else { continue }
            let value = fields.rest.string
            switch name {
            case "ID_PATH": path = value
            case "ID_WWN": wwn = value
            case "ID_MODEL": model = value
            case "SCSI_IDENT_SERIAL": serial = value
            case "ID_SERIAL_SHORT": shortSerial = value
            case "ID_SERIAL": longSerial = value
            case "ID_REVISION": revision = value
            default: if Self.names.contains(name) { properties[name] = value }
            }
        }
        if serial.isEmpty { serial = shortSerial.isEmpty ? longSerial : shortSerial }
    }
}

/// The identities of disks, read for new devices and once per minute.
struct DiskIdentities {
    private struct Key: Hashable {
        let major, minor: UInt64

        init(_ disk: DiskSample) { (major, minor) = (disk.major, disk.minor) }
    }

    private static let interval = 60.0
    private var known: [Key: DiskIdentity] = [:]
    private var time: TimePoint?

    subscript(disk: DiskSample) -> DiskIdentity? { known[Key(disk)] }

    /// Reads the identities of new disks, and of all disks once per interval.
    mutating func refresh(for disks: [DiskSample], in context: inout CollectionContext) {
        let (udev, now) = (context.udev, context.now)
        let isDue = now.seconds(since: time) ?? Self.interval >= Self.interval
        let isNew = disks.contains { known[Key($0)] == nil }
        guard isDue || isNew else { return }
        var identities: [Key: DiskIdentity] = [:]
        var new: [DiskSample] = []
        for disk in disks {
            let key = Key(disk)
            if !isDue, let identity = known[key] {
                identities[key] = identity
                continue
            }
            // A device without an entry in the database, as in a container, is not a fault.
            identities[key] = (try? udev.read("b\(disk.major):\(disk.minor)") { DiskIdentity($0) }) ?? DiskIdentity()
            new.append(disk)
        }
        let names = new.map { $0.device.replacing("/", with: "!") }
        for (disk, values) in zip(new, context.readAttributes(of: names, in: "block", ["queue/rotational"])) {
            identities[Key(disk)]?.rotational = values.values[0] ?? ""
        }
        known = identities
        if isDue { time = now }
    }
}

extension HostConfiguration {
    /// The directory of udev's database.
    var udevRoot: String { udevData ?? (rootfs.hasSuffix("/") ? rootfs : rootfs + "/") + "run/udev/data" }
}
