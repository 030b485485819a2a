// SPDX-License-Identifier: MIT

import WPCore

extension NodeSnapshot {
    package struct Disk: Sendable, Hashable, Codable {
        package var device: String
        package var mountPoint: String
        package var filesystemType: String?
        package var total, used, available: UInt64?
        /// `used` as a percentage of `used` plus `available`, as in df(1).
        package var usagePercent: Double?
        /// Since boot.
        package var readBytes, writtenBytes: UInt64?
        package var readRate, writeRate: Double?
        package var readIOPS, writeIOPS: Double?
        /// The share of the time in which the device was busy, in percent.
        package var utilization: Double?
        /// Reads and writes together, the only value in the older format.
        package var iops: Double?

        package init(device: String, mountPoint: String) {
            (self.device, self.mountPoint) = (device, mountPoint)
        }

        private enum CodingKeys: String, CodingKey {
            case device, mountPoint = "mount_point", filesystemType = "fs_type", total, used, available
            case usagePercent = "usage_percent", readBytes = "read_bytes", writtenBytes = "write_bytes"
            case readRate = "read_rate", writeRate = "write_rate", readIOPS = "read_iops", writeIOPS = "write_iops"
            case utilization = "io_util"
        }

        private enum LegacyKeys: String, CodingKey {
            case total = "total_bytes", used = "used_bytes", available = "available_bytes"
            case readRate = "read_bytes_ps", writeRate = "write_bytes_ps", iops
        }

        package init(from decoder: any Decoder) throws {
            let values = try TwoFormatContainer<CodingKeys, LegacyKeys>(decoder)
            device = try values.read(.device) ?? ""
            mountPoint = try values.read(.mountPoint) ?? ""
            filesystemType = try values.read(.filesystemType)
            total = try values.read(.total, .total)
            used = try values.read(.used, .used)
            available = try values.read(.available, .available)
            usagePercent = try values.read(.usagePercent)
            readBytes = try values.read(.readBytes)
            writtenBytes = try values.read(.writtenBytes)
            readRate = try values.read(.readRate, .readRate)
            writeRate = try values.read(.writeRate, .writeRate)
            readIOPS = try values.read(.readIOPS)
            writeIOPS = try values.read(.writeIOPS)
            utilization = try values.read(.utilization)
            iops = try decoder.container(keyedBy: LegacyKeys.self).decodeIfPresent(Double.self, forKey: .iops)
            if iops == nil, let readIOPS, let writeIOPS, (readIOPS + writeIOPS).isFinite { iops = readIOPS + writeIOPS }
        }
    }

    package struct Network: Sendable, Hashable, Codable {
        package var interface: String
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

        package init(interface: String) {
            self.interface = interface
        }

        private enum CodingKeys: String, CodingKey {
            case interface, ipAddress = "ip_address", macAddress = "mac_address", status, speed, mtu
            case receivedBytes = "rx_bytes", sentBytes = "tx_bytes", receivedPackets = "rx_packets"
            case sentPackets = "tx_packets", receiveRate = "rx_rate", sendRate = "tx_rate"
            case receiveErrors = "rx_errors", sendErrors = "tx_errors", receiveDrops = "rx_dropped"
            case sendDrops = "tx_dropped", receivedPacketRate = "rx_packets_ps", sentPacketRate = "tx_packets_ps"
        }

        private enum LegacyKeys: String, CodingKey {
            case receiveRate = "rx_bytes_ps", sendRate = "tx_bytes_ps"
        }

        package init(from decoder: any Decoder) throws {
            let values = try TwoFormatContainer<CodingKeys, LegacyKeys>(decoder)
            interface = try values.read(.interface) ?? ""
            ipAddress = try values.read(.ipAddress)
            macAddress = try values.read(.macAddress)
            status = try values.read(.status)
            speed = try values.read(.speed)
            mtu = try values.read(.mtu)
            receivedBytes = try values.read(.receivedBytes)
            sentBytes = try values.read(.sentBytes)
            receivedPackets = try values.read(.receivedPackets)
            sentPackets = try values.read(.sentPackets)
            receiveRate = try values.read(.receiveRate, .receiveRate)
            sendRate = try values.read(.sendRate, .sendRate)
            receiveErrors = try values.read(.receiveErrors)
            sendErrors = try values.read(.sendErrors)
            receiveDrops = try values.read(.receiveDrops)
            sendDrops = try values.read(.sendDrops)
            receivedPacketRate = try values.read(.receivedPacketRate)
            sentPacketRate = try values.read(.sentPacketRate)
        }
    }

    package struct Process: Sendable, Hashable, Codable {
        package var pid: Int
        package var name: String
        package var commandLine: String?
        package var user: String?
        package var status: String?
        /// 100 is one processor.
        package var cpuPercent: Double?
        package var memoryPercent: Double?
        package var residentBytes: UInt64?
        package var threads: UInt64?
        /// In seconds since 1970.
        package var startTime: Int64?

        package init(pid: Int, name: String) {
            (self.pid, self.name) = (pid, name)
        }

        private enum CodingKeys: String, CodingKey {
            case pid, name, commandLine = "cmdline", user, status, cpuPercent = "cpu_percent"
            case memoryPercent = "mem_percent", residentBytes = "mem_rss", threads, startTime = "start_time"
        }

        private enum LegacyKeys: String, CodingKey {
            case commandLine = "command", status = "state", residentBytes = "mem_bytes"
        }

        package init(from decoder: any Decoder) throws {
            let values = try TwoFormatContainer<CodingKeys, LegacyKeys>(decoder)
            pid = try values.read(.pid) ?? 0
            name = try values.read(.name) ?? ""
            commandLine = try values.read(.commandLine, .commandLine)
            user = try values.read(.user)
            status = try values.read(.status, .status)
            cpuPercent = try values.read(.cpuPercent)
            memoryPercent = try values.read(.memoryPercent)
            residentBytes = try values.read(.residentBytes, .residentBytes)
            threads = try values.read(.threads)
            // A number in one format, a string in the other.
            let container = try decoder.container(keyedBy: CodingKeys.self)
            if let text = try? container.decodeIfPresent(String.self, forKey: .startTime) {
                startTime = RFC3339.seconds(text).flatMap { Int64(exactly: $0.rounded(.down)) }
            } else {
                startTime = try container.decodeIfPresent(Int64.self, forKey: .startTime)
            }
        }
    }
}
