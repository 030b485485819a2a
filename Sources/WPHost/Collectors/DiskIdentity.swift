// SPDX-License-Identifier: MIT

/// A block device's properties in udev's database.
package struct DiskIdentity: Sendable, Hashable {
    /// `1` if the disk rotates, otherwise `0`; empty if unknown. From sysfs.
    package internal(set) var rotational = ""
    private var properties: [String: String] = [:]

    /// A udev property by name; nil if absent.
    package subscript(name: String) -> String? { properties[name] }

    /// The serial number as printed on its label; empty if unknown.
    package var serial: String {
        ["SCSI_IDENT_SERIAL", "ID_SERIAL_SHORT", "ID_SERIAL"].lazy.compactMap { properties[$0] }.first { !$0.isEmpty }
            ?? ""
    }

    init() {}

    /// Parses udev's file for a device (udev_device(3)): one `E:NAME=VALUE` per property.
    init(_ bytes: Bytes) {
        for line in bytes.lines where line.hasPrefix("E:") {
            var fields = ByteScanner(line.dropping(2))
            guard let name = fields.prefix(upTo: UInt8(ascii: "="))?.string else { continue }
            properties[name] = fields.rest.string
        }
    }
}

extension CollectionContext {
    /// The identities of disks, in the same order. A device without an entry in the database, as in a container, is not
    /// a fault.
    mutating func identities(of disks: [DiskSample]) -> [DiskIdentity] {
        let names = disks.map { $0.device.replacing("/", with: "!") }
        let attributes = readAttributes(of: names, in: "block", ["queue/rotational"])
        return zip(disks, attributes).map { disk, attribute in
            var identity = (try? udev.read("b\(disk.major):\(disk.minor)") { DiskIdentity($0) }) ?? DiskIdentity()
            identity.rotational = attribute.values[0] ?? ""
            return identity
        }
    }
}

extension HostConfiguration {
    /// The directory of udev's database.
    var udevRoot: String { udevData ?? (rootfs.hasSuffix("/") ? rootfs : rootfs + "/") + "run/udev/data" }
}
