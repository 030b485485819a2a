// SPDX-License-Identifier: MIT

import Fixtures
import Testing
import WPCore
import WPTestKit

@testable import WPHost

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct NodeSnapshotTests {
    @Test func encodesASampleAsASnapshot() async throws {
        let snapshot = NodeSnapshot(try await TreeHost.sample(.server), nodeName: "rack-7")
        #expect(snapshot.nodeName == "rack-7")
        #expect(snapshot.timestamp == "1970-01-01T00:16:42.000Z" && snapshot.time == 1002)
        #expect(snapshot.os == "Example \"Linux\" 9.4")
        #expect(snapshot.cpu?.threads == 128 && snapshot.cpu?.cores == 64)
        #expect(abs((snapshot.cpu?.frequency ?? 0) - 2000.0015) < 1e-6)
        #expect(snapshot.cpu?.load1 == 12.34)
        // The counters did not change.
        #expect(snapshot.cpu?.usagePercent == nil)
        #expect(snapshot.memory?.swapPercent.map { ($0 * 100).rounded() } == 463)
        #expect(
            snapshot.disks.map(\.device)
                == [
                    "/dev/mapper/vg-root", "/dev/mapper/luks-0a1b", "/dev/md127", "/dev/sdb", "files:/export",
                    "/dev/sdz",
                ]
        )
        // Matched by the device number, and for btrfs by the device name.
        #expect(snapshot.disks[0].readBytes == UInt64((200 * 1000 + 3 * 37) * 512))
        #expect(snapshot.disks[3].readBytes == UInt64((1 * 1000 + 3 * 37) * 512))
        #expect(snapshot.disks[0].readRate == 0)
        #expect(snapshot.disks[4].readBytes == nil)
        #expect(snapshot.disks[5].total == nil && snapshot.disks[5].usagePercent == nil)
        #expect(snapshot.networks.map(\.interface) == ["eth0", "eth1", "bond0", "bond0.7", "wlan0", "eth0:1"])
        #expect(snapshot.networks[0].speed == 25_000 && snapshot.networks[1].speed == nil)
        #expect(snapshot.networks[0].receiveRate == 0)
        #expect(snapshot.temperature?.cpu == 45 && snapshot.temperature?.cpuMaximum == 82)
        #expect(snapshot.temperature?.sensors.contains { $0.label == "Core 0" && $0.current == 44.5 } == true)
        #expect(snapshot.processes.first?.name == "a) R 9 (b")
        #expect(snapshot.processes.first?.cpuPercent == 0)
    }

    @Test func encodesTheNewerFormatWithoutMissingValues() async throws {
        let snapshot = NodeSnapshot(try await TreeHost.sample(.old), nodeName: "old")
        let data = try JSONEncoder().encode(snapshot)
        let text = String(decoding: data, as: UTF8.self)
        #expect(text.contains("\"swap_total\":0"))
        #expect(!text.contains("swap_percent"))
        #expect(!text.contains("temperature"))
        #expect(!text.contains("io_util"))
        #expect(try JSONDecoder().decode(NodeSnapshot.self, from: data) == snapshot)
    }

    @Test func aCompleteSnapshotRoundTrips() async throws {
        var snapshot = NodeSnapshot(try await TreeHost.sample(.server))
        let data = try JSONEncoder().encode(snapshot)
        let decoded = try JSONDecoder().decode(NodeSnapshot.self, from: data)
        for index in snapshot.disks.indices where snapshot.disks[index].readIOPS == nil {
            snapshot.disks[index].iops = nil
        }
        #expect(decoded == snapshot)
        let keys = [
            "node_name", "timestamp", "hostname", "kernel", "load_15", "usage_percent", "swap_free", "mount_point",
            "fs_type",
            "read_rate", "write_iops", "io_util", "mac_address", "rx_dropped", "cpu_temp_max", "cmdline", "mem_percent",
            "start_time",
        ]
        let text = String(decoding: data, as: UTF8.self)
        for key in keys { #expect(text.contains("\"\(key)\":"), "\(key)") }
    }

    @Test func readsTheOlderFormat() throws {
        let text = """
            {"node_name":"n","timestamp":"2026-01-31T12:00:00+01:00",
            "cpu":{"usage_percent":12.5,"core_count":4,"core_usages":[1,2,3,4],"load_avg_1":0.5,"load_avg_5":0.6,
                "load_avg_15":0.7,"model":"M","frequency":2400},
            "memory":{"total_bytes":100,"used_bytes":40,"available_bytes":60,"swap_total_bytes":10,"swap_used_bytes":5,
                "swap_usage_percent":50},
            "disks":[{"device":"/dev/sda1","mount_point":"/","total_bytes":1000,"used_bytes":10,"available_bytes":990,
                "read_bytes_ps":5.5,"write_bytes_ps":6.5,"iops":7,"io_util":8}],
            "networks":[{"interface":"eth0","rx_bytes_ps":1,"tx_bytes_ps":2,"rx_packets_ps":3,"tx_packets_ps":4}],
            "temperature":{"cpu_temp":50,"sensors":[{"name":"coretemp","label":"Core 0","temp":49,"high":80}]},
            "top_processes":[{"pid":7,"name":"x","state":"R","mem_bytes":4096,"command":"x -y",
                "start_time":"2026-01-31T10:00:00Z"}],"unknown":{}}
            """
        let snapshot = try JSONDecoder().decode(NodeSnapshot.self, from: Data(text.utf8))
        #expect(snapshot.time == 1_769_857_200)
        #expect(snapshot.cpu?.perCore == [1, 2, 3, 4] && snapshot.cpu?.load15 == 0.7 && snapshot.cpu?.cores == 4)
        #expect(snapshot.memory?.used == 40 && snapshot.memory?.swapPercent == 50 && snapshot.memory?.free == nil)
        #expect(snapshot.disks.first?.readRate == 5.5 && snapshot.disks.first?.iops == 7)
        #expect(snapshot.disks.first?.readIOPS == nil)
        #expect(snapshot.networks.first?.sendRate == 2 && snapshot.networks.first?.sentPacketRate == 4)
        #expect(snapshot.temperature?.sensors.first?.current == 49 && snapshot.temperature?.sensors.first?.max == 80)
        #expect(snapshot.processes.first?.status == "R" && snapshot.processes.first?.residentBytes == 4096)
        #expect(snapshot.processes.first?.startTime == 1_769_853_600)
    }

    @Test func rejectsASnapshotWithoutAName() {
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(NodeSnapshot.self, from: Data(#"{"timestamp":"2026-01-31T12:00:00Z"}"#.utf8))
        }
    }
}
