// SPDX-License-Identifier: MIT

extension HostTree {
    func writeDisks() throws {
        var lines = ""
        func add(_ major: Int, _ minor: Int, _ name: String, _ seed: Int) {
            let counters = (1...17).map { String(seed * 1000 + $0 * 37) }
            lines +=
                "\(major)".leftPadded(4) + "\(minor)".leftPadded(8) + " \(name) \(counters.joined(separator: " "))\n"
        }
        for disk in 0..<40 {
            let name = "sd" + (disk < 26 ? "" : "a") + String(UnicodeScalar(UInt8(97 + disk % 26)))
            add(8 + disk / 16, disk % 16 * 16, name, disk)
            add(8 + disk / 16, disk % 16 * 16 + 1, name + "1", disk)
        }
        for (index, name) in ["nvme0n1", "nvme0n1p1", "loop0", "ram0", "zram1", "sr0", "md127", "mmcblk0"].enumerated()
        {
            add(259, index, name, 100 + index)
        }
        for (index, name) in ["vg-root", "luks-0a1b", "vg-swap"].enumerated() {
            add(253, index, "dm-\(index)", 200 + index)
            try write(name + "\n", "sys/block/dm-\(index)/dm/name")
        }
        try write(lines, "proc/diskstats")
        let properties = [
            "8:0": [
                "ID_MODEL": "Disk_of_a_Fixture", "ID_PATH": "pci-0000:00:1f.2-ata-1", "ID_WWN": "0x5000c500a1b2c3d4",
                "ID_SERIAL_SHORT": "SHORT", "SCSI_IDENT_SERIAL": "ZA123=\"4\\", "ID_REVISION": "CC43",
            ],
            "259:0": ["ID_MODEL": "NVMe of a Fixture", "ID_SERIAL_SHORT": "S1"],
            "253:0": ["DM_NAME": "vg-root"],
        ]
        for (numbers, values) in properties {
            let text = values.sorted { $0.key < $1.key }.map { "E:\($0.key)=\($0.value)\n" }.joined()
            try write("S:disk/by-id/x\nI:123\n" + text + "G:systemd\nE:broken\n", "root/run/udev/data/b\(numbers)")
        }
    }

    func writeMounts() throws {
        let mounts: [(numbers: String, point: String, type: String, device: String, options: String)] = [
            ("0:21", "/proc", "proc", "proc", "rw,nosuid"),
            ("253:0", "/", "xfs", "/dev/mapper/vg-root", "rw,relatime"),
            ("253:1", "/srv/a\\040blank\\011tab", "ext4", "/dev/mapper/luks-0a1b", "rw,relatime"),
            ("9:127", "/srv/back\\134slash", "ext4", "/dev/md127", "ro,relatime"),
            ("0:44", "/srv/data", "btrfs", "/dev/sdb", "rw,relatime"),
            ("0:45", "/srv/nfs", "nfs4", "files:/export", "rw,relatime"),
            ("0:46", "/srv/gone", "ext4", "/dev/sdz", "rw,relatime"),
            ("0:47", "/tmp", "tmpfs", "tmpfs", "rw,nosuid"),
            ("0:48", "/var/lib/docker/overlay2/x/merged", "overlay", "overlay", "rw"),
            ("253:0", "/", "xfs", "/dev/mapper/vg-root", "rw,relatime"),
        ]
        var info = ""
        var table = ""
        for (index, mount) in mounts.enumerated() {
            let optional = ["", " shared:1", " shared:5 master:2 propagate_from:3"][index % 3]
            info += "\(30 + index) 1 \(mount.numbers) / \(mount.point) \(mount.options)\(optional) - \(mount.type) "
            info += "\(mount.device) rw\n"
            table += "\(mount.device) \(mount.point) \(mount.type) \(mount.options) 0 0\n"
        }
        try write(info, "proc/1/mountinfo")
        try write(table, "proc/1/mounts")
        for name in ["srv/a blank\ttab", "srv/back\\slash", "srv/data", "srv/nfs", "tmp"] {
            try directory("root/" + name)
        }
    }

    func writeNetwork() throws {
        let names = ["lo", "eth0", "eth1", "bond0", "bond0.7", "br-1234", "veth9", "wlan0", "eth0:1"]
        var lines = "Inter-|   Receive                            |  Transmit\n"
        lines +=
            " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo colls "
        lines += "carrier compressed\n"
        for (index, name) in names.enumerated() {
            let counters = (0..<16).map { String(index * 1_000_000 + $0) }.joined(separator: " ")
            lines += name.leftPadded(6) + (index % 2 == 0 ? ":" : ": ") + counters + "\n"
        }
        try write(lines, "proc/net/dev")
        for (index, name) in names.dropLast().enumerated() {
            let directory = "sys/class/net/" + name
            try attributes(
                directory,
                [
                    "addr_assign_type": "0", "addr_len": "6", "address": "02:00:00:00:00:0\(index)",
                    "broadcast": "ff:ff:ff:ff:ff:ff", "carrier": "1", "carrier_changes": "\(index)",
                    "carrier_up_count": "\(index / 2)", "carrier_down_count": "\(index / 3)", "dev_id": "0x\(index)",
                    "dormant": "0", "flags": index == 2 ? "0x1002" : "0x1003",
                    "ifalias": index == 1 ? "up \"link\"" : "",
                    "ifindex": "\(index + 1)", "iflink": "\(index + 1)", "link_mode": "0", "mtu": "1500",
                    "name_assign_type": "4", "netdev_group": "0", "operstate": index == 2 ? "down" : "up",
                    "tx_queue_len": "1000", "type": "1",
                ]
            )
            if name.hasPrefix("eth") {
                try attributes(directory, ["duplex": "full", "speed": name == "eth0" ? "25000" : "-1"])
            }
        }
    }

    func writeSensors() throws {
        try directory("sys/devices/platform/coretemp.0")
        try directory("sys/devices/pci0000:00/0000:00:1f.2")
        try directory("sys/devices/pci0000:00/0000:00:1f.3")
        try directory("sys/class/hwmon")
        func chip(_ number: Int, _ name: String?, device: String?, _ files: KeyValuePairs<String, String>) throws {
            let directory = "sys/class/hwmon/hwmon\(number)"
            try self.directory(directory)
            if let name { try write(name + "\n", directory + "/name") }
            try attributes(directory, files)
            if let device { try link(directory + "/device", to: "../../../devices/" + device) }
        }
        try chip(
            0,
            "coretemp",
            device: "platform/coretemp.0",
            [
                "temp1_input": "45000", "temp1_max": "82000", "temp1_crit": "100000", "temp1_crit_alarm": "0",
                "temp1_label": "Package id 0", "temp2_input": "44500", "temp2_label": "Core 0",
            ]
        )
        try chip(1, "nct6775", device: "pci0000:00/0000:00:1f.2", Self.boardSensors)
        // Two chips of one device, and two more whose drivers have the same name.
        try chip(2, "acpi_fan", device: "pci0000:00/0000:00:1f.3", ["fan1_input": "880"])
        try chip(5, "twin", device: "pci0000:00/0000:00:1f.3", ["temp1_input": "20000"])
        try chip(6, "twin", device: "pci0000:00/0000:00:1f.3", ["temp1_input": "21000"])
        try chip(3, "Odd Name-1", device: nil, ["temp1_input": "-5000", "temp1_fault": "1"])
        try chip(4, nil, device: nil, ["power1_average": "123456789", "power1_average_interval": "1000"])
        for zone in 0..<2 {
            try attributes(
                "sys/class/thermal/thermal_zone\(zone)",
                ["type": zone == 0 ? "x86_pkg_temp" : "acpitz", "temp": "\(47_000 + zone)", "policy": "step_wise"]
            )
        }
        try attributes(
            "sys/class/thermal/cooling_device0",
            ["type": "Processor", "cur_state": "0", "max_state": "10"]
        )
    }

    private static let boardSensors: KeyValuePairs<String, String> = [
        "fan1_input": "1200", "fan1_min": "300", "fan1_alarm": "0", "fan1_beep": "1", "fan1_pulses": "2",
        "pwm1": "153", "pwm1_enable": "5", "pwm1_mode": "1", "in0_input": "1096", "in0_min": "0", "in0_max": "1744",
        "in0_alarm": "1", "curr1_input": "2500", "curr1_crit": "9000", "power1_input": "95000000",
        "power1_cap": "200000000", "power1_accuracy": "1500000", "energy1_input": "123456789",
        "humidity1_input": "45000",
        "intrusion0_alarm": "1", "intrusion0_beep": "0", "beep_enable": "1", "update_interval": "2000",
        "temp7_input": "33500", "temp7_type": "4", "temp7_offset": "0", "temp7_max_hyst": "75000", "temp7_beep": "0",
        "freq1_input": "300000000", "freq1_label": "sclk", "temp7_label": "", "uevent": "", "temp9_input": "garbage",
    ]
}

extension String {
    fileprivate func leftPadded(_ width: Int) -> String {
        String(repeating: " ", count: max(width - count, 0)) + self
    }
}
