// SPDX-License-Identifier: MIT

import WPCore

extension NodeSnapshot {
    package struct Disk: Sendable, Hashable, Codable, SnapshotObject {
        package var device = ""
        package var mountPoint = ""
        package var filesystemType: String?
        package var total, used, available: UInt64?
        /// `used` as a percentage of `used` plus `available`, as df(1) computes it.
        package var usagePercent: Double?
        /// Since boot.
        package var readBytes, writtenBytes: UInt64?
        package var readRate, writeRate: Double?
        package var readIOPS, writeIOPS: Double?
        /// The share of the time in which the device was busy, in percent.
        package var utilization: Double?
        /// Reads and writes together, the only value in the older format.
        package var iops: Double?

        static let fields: [SnapshotField<Disk>] = [
            .init(always: "device", \.device), .init(always: "mount_point", \.mountPoint),
            .init("fs_type", \.filesystemType), .init("total", older: "total_bytes", \.total),
            .init("used", older: "used_bytes", \.used), .init("available", older: "available_bytes", \.available),
            .init("usage_percent", \.usagePercent), .init("read_bytes", \.readBytes),
            .init("write_bytes", \.writtenBytes), .init("read_rate", older: "read_bytes_ps", \.readRate),
            .init("write_rate", older: "write_bytes_ps", \.writeRate), .init("read_iops", \.readIOPS),
            .init("write_iops", \.writeIOPS), .init("io_util", \.utilization),
            .init(decode: { disk, values in
                disk.iops = try values.decodeIfPresent(Double.self, forKey: "iops")
                guard disk.iops == nil, let reads = disk.readIOPS, let writes = disk.writeIOPS else { return }
                disk.iops = (reads + writes).isFinite ? reads + writes : nil
            }),
        ]

        init() {}

        package init(device: String, mountPoint: String) {
            (self.device, self.mountPoint) = (device, mountPoint)
        }
    }

    package struct Network: Sendable, Hashable, Codable, SnapshotObject {
        package var interface = ""
        package var ipAddress: String?
        package var macAddress: String?
        /// The kernel's operational state, such as `up`.
        package var status: String?
        /// In Mbit/s.
        package var speed: Int64?
        package var mtu: Int64?
        /// Since boot.
        package var receivedBytes, sentBytes, receivedPackets, sentPackets: UInt64?
        package var receiveRate, sendRate: Double?
        package var receiveErrors, sendErrors, receiveDrops, sendDrops: UInt64?
        /// Packets per second, under the key of the older format.
        package var receivedPacketRate, sentPacketRate: Double?

        static let fields: [SnapshotField<Network>] = [
            .init(always: "interface", \.interface), .init("ip_address", \.ipAddress),
            .init("mac_address", \.macAddress), .init("status", \.status), .init("speed", \.speed), .init("mtu", \.mtu),
            .init("rx_bytes", \.receivedBytes), .init("tx_bytes", \.sentBytes), .init("rx_packets", \.receivedPackets),
            .init("tx_packets", \.sentPackets), .init("rx_rate", older: "rx_bytes_ps", \.receiveRate),
            .init("tx_rate", older: "tx_bytes_ps", \.sendRate), .init("rx_errors", \.receiveErrors),
            .init("tx_errors", \.sendErrors), .init("rx_dropped", \.receiveDrops), .init("tx_dropped", \.sendDrops),
            .init("rx_packets_ps", \.receivedPacketRate), .init("tx_packets_ps", \.sentPacketRate),
        ]

        init() {}

        package init(interface: String) {
            self.interface = interface
        }
    }

    package struct Process: Sendable, Hashable, Codable, SnapshotObject {
        package var pid = 0
        package var name = ""
        package var commandLine: String?
        package var user: String?
        package var status: String?
        /// 100 means one fully used processor.
        package var cpuPercent: Double?
        package var memoryPercent: Double?
        package var residentBytes: UInt64?
        package var threads: UInt64?
        /// In seconds since 1970.
        package var startTime: Int64?

        static let fields: [SnapshotField<Process>] = [
            .init(always: "pid", \.pid), .init(always: "name", \.name),
            .init("cmdline", older: "command", \.commandLine), .init("user", \.user),
            .init("status", older: "state", \.status), .init("cpu_percent", \.cpuPercent),
            .init("mem_percent", \.memoryPercent), .init("mem_rss", older: "mem_bytes", \.residentBytes),
            .init("threads", \.threads),
            .init { process, values in
                // A string in the older format.
                if let text = try? values.decodeIfPresent(String.self, forKey: "start_time") {
                    process.startTime = RFC3339.seconds(text).flatMap { Int64(exactly: $0.rounded(.down)) }
                } else {
                    process.startTime = try values.decodeIfPresent(Int64.self, forKey: "start_time")
                }
            } encode: { process, values in
                try values.encodeIfPresent(process.startTime, forKey: "start_time")
            },
        ]

        init() {}

        package init(pid: Int, name: String) {
            (self.pid, self.name) = (pid, name)
        }
    }
}
