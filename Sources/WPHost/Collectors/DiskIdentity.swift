// SPDX-License-Identifier: MIT

/// What udev knows of a block device, of which each value may be empty.
package struct DiskIdentity: Sendable, Hashable {
    /// The way to the device, such as `pci-0000:00:1f.2-ata-1` (`ID_PATH`).
    package internal(set) var path = ""
    /// Its World Wide Name (`ID_WWN`).
    package internal(set) var wwn = ""
    /// Its model (`ID_MODEL`).
    package internal(set) var model = ""
    /// Its serial number, as printed on its label (`SCSI_IDENT_SERIAL`, else `ID_SERIAL_SHORT`).
    package internal(set) var serial = ""
    /// The revision of its firmware (`ID_REVISION`).
    package internal(set) var revision = ""

    init() {}

    /// Reads udev's file of a device (udev_device(3)): one `E:NAME=VALUE` per property.
    init(_ bytes: Bytes) {
        var shortSerial = ""
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
            case "ID_REVISION": revision = value
            default: break
            }
        }
        if serial.isEmpty { serial = shortSerial }
    }
}

/// The identities of disks, read when a device is new and once in a minute.
struct DiskIdentities {
    private struct Key: Hashable {
        let major, minor: UInt64

        init(_ disk: DiskSample) { (major, minor) = (disk.major, disk.minor) }
    }

    private static let interval = 60.0
    private var known: [Key: DiskIdentity] = [:]
    private var time: HostTime?

    subscript(disk: DiskSample) -> DiskIdentity? { known[Key(disk)] }

    mutating func refresh(_ disks: [DiskSample], _ udev: FileReader, _ now: HostTime) {
        let isDue = now.seconds(since: time) ?? Self.interval >= Self.interval
        let isNew = disks.contains { known[Key($0)] == nil }
        guard isDue || isNew else { return }
        var identities: [Key: DiskIdentity] = [:]
        for disk in disks {
            let key = Key(disk)
            if !isDue, let identity = known[key] {
                identities[key] = identity
                continue
            }
            // A device that udev does not know, as in a container, is no fault.
            identities[key] = (try? udev.read("b\(disk.major):\(disk.minor)") { DiskIdentity($0) }) ?? DiskIdentity()
        }
        known = identities
        if isDue { time = now }
    }
}

extension HostConfiguration {
    /// Where udev's files are.
    var udevRoot: String { udevData ?? (rootfs.hasSuffix("/") ? rootfs : rootfs + "/") + "run/udev/data" }
}
