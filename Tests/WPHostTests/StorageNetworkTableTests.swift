// SPDX-License-Identifier: MIT

import Fixtures
import Testing

@testable import WPHost

/// Compares the values of small collectors with those of a synthetic tree of kernel files.
struct StorageNetworkTableTests {
    private static let uuid = "0abb23a9-579b-43e6-ad30-227ef47fcb9d"

    @Test func absentHardwareIsNoFault() throws {
        let host = try TreeHost()
        // Without devices, node_exporter reports success for these and "no data" for the others.
        let isSuccessWithout = ["xfs", "btrfs", "bcache"]
        func check<Collector: HostCollector>(_ collector: Collector) where Collector.Value == HostFamilies {
            let (values, report) = host.values(collector)
            #expect(
                values.isEmpty && report?.isAvailable == isSuccessWithout.contains(Collector.name)
                    && report?.faults.isEmpty == true,
                "\(Collector.name)"
            )
        }
        check(XFSCollector())
        check(KernelHungCollector())
        check(NFSCollector())
        check(NFSDCollector())
        check(BtrfsCollector())
        check(BcacheCollector())
        check(FibreChannelCollector())
        check(InfinibandCollector())
        check(TapestatsCollector(HostConfiguration()))
        check(DMMultipathCollector())
        check(IPVSCollector())
        check(ZFSCollector())
        check(CPUStateCollector())
        check(CPUVulnerabilitiesCollector())
    }

    @Test func readsXFSCountersPerDevice() throws {
        let host = try TreeHost()
        try host.tree.write(
            "extent_alloc 1 97 3 4\nabt 5 0 0 0\nig 17767 16989 0 778 0 0 1\nrw 8 9\nvnodes 2 0 0 0 3 4 5 0\nxpc 1 2 3\n",
            "sys/fs/xfs/sda1/stats/stats"
        )
        try host.tree.write("1\n", "sys/fs/xfs/debug/other")
        let (values, report) = host.values(XFSCollector())
        #expect(values["xfs_extent_allocation_blocks_allocated_total device sda1"] == 97.0)
        #expect(values["xfs_inode_operation_missed_total device sda1"] == 778.0)
        #expect(values["xfs_write_calls_total device sda1"] == 8.0 && values["xfs_read_calls_total device sda1"] == 9.0)
        #expect(values["xfs_vnode_remove_total device sda1"] == 5.0)
        #expect(report?.isSuccess == true)
    }

    @Test func countsHungTasks() throws {
        let host = try TreeHost()
        try host.tree.write("42\n", "proc/sys/kernel/hung_task_detect_count")
        #expect(host.values(KernelHungCollector()).values == ["kernel_hung_tasks_total": 42])
    }

    @Test func readsNFSCountersOfClientAndServer() throws {
        let host = try TreeHost()
        try host.tree.write(
            "net 70 70 69 45\nrpc 1218 37 99\nproc2 18 2 69 0 0 4410 0 0 0 0 0 0 0 0 0 0 0 99 2\nproc4 3 1 2 3\n",
            "proc/net/rpc/nfs"
        )
        let (client, _) = host.values(NFSCollector())
        #expect(client["nfs_packets_total protocol tcp"] == 69.0 && client["nfs_connections_total"] == 45.0)
        #expect(client["nfs_rpc_retransmissions_total"] == 37.0)
        #expect(client["nfs_requests_total method GetAttr proto 2"] == 69.0)
        #expect(client["nfs_requests_total method Lookup proto 2"] == 4410.0)
        #expect(client["nfs_requests_total method Write proto 4"] == 3.0)
        try host.tree.write(
            "rc 0 6 18622\nfh 1 0 0 0 0\nio 157286400 72864\nth 8 0 0.000 0.000\nra 32 0 0 0 0 0 0 0 0 0 0 7\n"
                + "net 972 55 917 1\nrpc 18628 3 1 2 0\nproc3 22 2 112 0 2719 111 0 0 0 0 0 0 0 0 0 0 0 27 216 0 2 1 0\n"
                + "proc4ops 6 0 0 0 1098 2 4\nbroken x\n",
            "proc/net/rpc/nfsd"
        )
        let (server, report) = host.values(NFSDCollector())
        #expect(server["nfsd_disk_bytes_read_total"] == 157_286_400.0 && server["nfsd_server_threads"] == 8.0)
        #expect(server["nfsd_read_ahead_cache_not_found_total"] == 7.0)
        #expect(server["nfsd_rpc_errors_total error auth"] == 2.0 && server["nfsd_rpc_errors_total error fmt"] == 1.0)
        #expect(server["nfsd_requests_total method Lookup proto 3"] == 2719.0)
        #expect(server["nfsd_requests_total method Null proto 3"] == nil)
        #expect(server["nfsd_requests_total method Access proto 4"] == 1098.0)
        #expect(report?.faults.map(\.reason) == [.malformed])
    }

    @Test func readsBtrfsSpacePerProfile() throws {
        let host = try TreeHost()
        let directory = "sys/fs/btrfs/" + Self.uuid
        try host.tree.attributes(directory, ["label": "fixture"])
        try host.tree.attributes(
            directory + "/allocation",
            [
                "global_rsv_size": "16777216", "data/bytes_reserved": "5", "data/raid5/used_bytes": "808189952",
                "data/raid5/total_bytes": "2147483648", "metadata/raid1/used_bytes": "1",
                "metadata/raid1/total_bytes": "2",
            ]
        )
        for device in ["sda", "sdb", "sdc"] {
            try host.tree.attributes(directory + "/devices/" + device, ["size": "20"])
        }
        try host.tree.write(
            "commits 3\nlast_commit_ms 1000\nmax_commit_ms 51462\ntotal_commit_ms 47836\n",
            directory + "/commit_stats"
        )
        try host.tree.attributes("sys/fs/btrfs/features", ["skinny_metadata": "0"])
        let (values, _) = host.values(BtrfsCollector())
        let id = "uuid " + Self.uuid
        #expect(values["btrfs_info label fixture " + id] == 1.0)
        #expect(values["btrfs_device_size_bytes device sdb " + id] == 10240.0)
        #expect(values["btrfs_used_bytes block_group_type data mode raid5 " + id] == 808_189_952.0)
        #expect(values["btrfs_allocation_ratio block_group_type data mode raid5 " + id] == 1.5)
        #expect(values["btrfs_allocation_ratio block_group_type metadata mode raid1 " + id] == 2.0)
        #expect(values["btrfs_max_commit_seconds " + id] == 51.462 && values["btrfs_commits_total " + id] == 3.0)
        #expect(!values.keys.contains { $0.contains("features") })
    }

    @Test func parsesHumanReadableBcacheNumbers() throws {
        let host = try TreeHost()
        let directory = "sys/fs/bcache/" + Self.uuid
        try host.tree.attributes(
            directory,
            [
                "btree_cache_size": "1.5k", "tree_depth": "1", "bdev0/stats_total/cache_hits": "546",
                "bdev0/dirty_data": "1.0M",
                "cache0/written": "2.0k", "internal/btree_read_average_duration_us": "1305",
            ]
        )
        try host.tree.write(
            "rate:\t\t1.1M/sec\ntarget:\t\t20.0k\nchange:\t\t-2.0k/sec\nnext io:\t17ms\n",
            directory + "/bdev0/writeback_rate_debug"
        )
        let (values, _) = host.values(BcacheCollector())
        let id = "uuid " + Self.uuid
        #expect(values["bcache_btree_cache_size_bytes " + id] == 1536.0)
        #expect(values["bcache_btree_read_average_duration_seconds " + id] == 0.001305)
        #expect(values["bcache_cache_hits_total backing_device bdev0 " + id] == 546.0)
        #expect(values["bcache_dirty_data_bytes backing_device bdev0 " + id] == 1_048_576.0)
        #expect(values["bcache_dirty_target_bytes backing_device bdev0 " + id] == 20_480.0)
        #expect(values["bcache_writeback_change backing_device bdev0 " + id] == -2048.0)
        #expect(values["bcache_written_bytes_total cache_device cache0 " + id] == 2048.0)
    }

    @Test func parsesHexadecimalAndUnknownFibreChannelCounters() throws {
        let host = try TreeHost()
        try host.tree.attributes(
            "sys/class/fc_host/host0",
            [
                "port_id": "0x000002", "port_state": "Online", "speed": "16 Gbit", "statistics/rx_frames": "0x30",
                "statistics/tx_words": "0xffffffffffffffff",
            ]
        )
        let (values, _) = host.values(FibreChannelCollector())
        #expect(values["fibrechannel_rx_frames_total fc_host host0"] == 48.0)
        #expect(values["fibrechannel_tx_words_total fc_host host0"] == nil)
        #expect(
            values.keys.contains {
                $0.hasPrefix("fibrechannel_info ") && $0.contains("fc_host host0") && $0.contains("speed 16 Gbit")
                    && $0.contains("port_id 000002")
            }
        )
    }

    @Test func convertsInfiniBandWordsToBytes() throws {
        let host = try TreeHost()
        try host.tree.attributes(
            "sys/class/infiniband/mlx4_0",
            [
                "board_id": "SM_1", "fw_ver": "2.31", "hca_type": "MT4099", "ports/1/state": "4: ACTIVE",
                "ports/1/phys_state": "5: LinkUp", "ports/1/rate": "40 Gb/sec (4X QDR)",
                "ports/1/counters/port_rcv_data": "460",
                "ports/1/counters/symbol_error": "N/A (no PMA)", "ports/1/hw_counters/lifespan": "10",
            ]
        )
        let (values, _) = host.values(InfinibandCollector())
        #expect(values["infiniband_state_id device mlx4_0 port 1"] == 4.0)
        #expect(values["infiniband_rate_bytes_per_second device mlx4_0 port 1"] == 5e9)
        #expect(values["infiniband_port_data_received_bytes_total device mlx4_0 port 1"] == 1840.0)
        #expect(values["infiniband_lifespan_seconds device mlx4_0 port 1"] == 0.01)
        #expect(values["infiniband_symbol_error_total device mlx4_0 port 1"] == nil)
        #expect(values["infiniband_info board_id SM_1 device mlx4_0 firmware_version 2.31 hca_type MT4099"] == 1.0)
    }

    @Test func countsATapeDriveOnce() throws {
        let host = try TreeHost()
        for name in ["st0", "nst0", "st1"] {
            try host.tree.attributes("sys/class/scsi_tape/\(name)/stats", ["in_flight": "1", "io_ns": "9247011087720"])
        }
        let (values, _) = host.values(TapestatsCollector(try .with { $0.excludedTapes = try NamePattern("^st1$") }))
        #expect(values == ["tape_io_now device st0": 1, "tape_io_time_seconds_total device st0": 9247.01108772])
    }

    @Test func countsWorkingMultipathPaths() throws {
        let host = try TreeHost()
        try host.tree.attributes(
            "sys/block",
            [
                "dm-5/dm/uuid": "mpath-36", "dm-5/dm/name": "mpathA", "dm-5/dm/suspended": "0", "dm-5/size": "100",
                "dm-6/dm/uuid": "LVM-1", "dm-6/dm/name": "root", "sdi/device/state": "running",
                "sdj/device/state": "offline",
            ]
        )
        for path in ["sdi", "sdj"] { try host.tree.directory("sys/block/dm-5/slaves/" + path) }
        let (values, _) = host.values(DMMultipathCollector())
        let id = "device mpathA sysfs_name dm-5"
        #expect(
            values["dmmultipath_device_size_bytes " + id] == 51200.0 && values["dmmultipath_device_active " + id] == 1.0
        )
        #expect(
            values["dmmultipath_device_paths " + id] == 2.0 && values["dmmultipath_device_paths_failed " + id] == 1.0
        )
        #expect(values["dmmultipath_path_state device mpathA path sdj state offline"] == 1.0)
        #expect(!values.keys.contains { $0.contains("root") })
    }

    @Test func readsLoadBalancerServers() throws {
        let host = try TreeHost()
        try host.tree.write(
            "   Total Incoming Outgoing         Incoming         Outgoing\n   Conns  Packets  Packets            Bytes            Bytes\n"
                + " 16AA370 E33656E5        0     51D8C8883AB3                0\n",
            "proc/net/ip_vs_stats"
        )
        try host.tree.write(
            "IP Virtual Server version 1.2.1 (size=4096)\nProt LocalAddress:Port Scheduler Flags\n"
                + "  -> RemoteAddress:Port Forward Weight ActiveConn InActConn\nTCP  C0A80016:0CEA wlc\n"
                + "  -> C0A85216:0CEA      Tunnel  100    248        2\n"
                + "TCP  [2620:0000:0000:0000:0000:0000:0000:0001]:0050 sh\n"
                + "  -> [2620:0000:0000:0000:0000:0000:0000:0002]:0050 Route 1 0 3\nFWM  10001000 wlc\n  -> C0A8321A:0CEA      Route   20     64        1\n",
            "proc/net/ip_vs"
        )
        let (values, report) = host.values(IPVSCollector())
        #expect(values["ipvs_connections_total"] == 23_765_872.0)
        let first =
            "local_address 192.168.0.22 local_mark  local_port 3306 proto TCP remote_address 192.168.82.22 remote_port 3306"
        #expect(values["ipvs_backend_connections_active " + first] == 248.0)
        let second = "local_address 2620::1 local_mark  local_port 80 proto TCP remote_address 2620::2 remote_port 80"
        #expect(values["ipvs_backend_connections_inactive " + second] == 3.0)
        let marked =
            "local_address  local_mark 10001000 local_port 0 proto FWM remote_address 192.168.50.26 remote_port 3306"
        #expect(values["ipvs_backend_weight " + marked] == 20.0)
        #expect(report?.isSuccess == true)
    }

    @Test func readsZFSKstats() throws {
        let host = try TreeHost()
        let head = "6 1 0x01 91 4368 5266997922 97951858082072\nname                            type data\n"
        try host.tree.write(
            head + "hits                            4    8772612\nsome_text 7 abc\nmemory_available 3 -922337\n",
            "proc/spl/kstat/zfs/arcstats"
        )
        try host.tree.write(
            "12 3 0x00 1 80 1 2\nnread    nwritten reads\n1884160  3206144  22\n",
            "proc/spl/kstat/zfs/pool1/io"
        )
        try host.tree.write("ONLINE\n", "proc/spl/kstat/zfs/pool1/state")
        try host.tree.write(head + "dataset_name 7 pool1/data\nwrites 4 5\n", "proc/spl/kstat/zfs/pool1/objset-0x36")
        let (values, _) = host.values(ZFSCollector())
        #expect(values["zfs_arc_hits"] == 8_772_612.0 && values["zfs_arc_memory_available"] == -922_337.0)
        #expect(values["zfs_zpool_nwritten zpool pool1"] == 3_206_144.0)
        #expect(values["zfs_zpool_state state online zpool pool1"] == 1.0)
        #expect(values["zfs_zpool_state state faulted zpool pool1"] == 0.0)
        #expect(values["zfs_zpool_dataset_writes dataset pool1/data zpool pool1"] == 5.0)
    }

    @Test func readsProcessorThrottling() throws {
        let host = try TreeHost()
        let directory = "sys/devices/system/cpu"
        for (cpu, core) in [(0, 0), (1, 0), (2, 1)] {
            try host.tree.attributes(
                "\(directory)/cpu\(cpu)",
                [
                    "topology/physical_package_id": "0", "topology/core_id": "\(core)",
                    "thermal_throttle/core_throttle_count": "\(5 + core)",
                    "thermal_throttle/package_throttle_count": "30",
                    "cpufreq/scaling_governor": "powersave",
                    "cpufreq/scaling_available_governors": "performance powersave",
                ]
            )
        }
        try host.tree.attributes(
            directory,
            [
                "isolated": "1,3-4", "vulnerabilities/mds": "Vulnerable: no microcode",
                "vulnerabilities/retbleed": "Not affected",
                "vulnerabilities/spectre_v2": "Mitigation: Retpolines; IBPB: conditional",
            ]
        )
        let (values, _) = host.values(CPUStateCollector())
        #expect(values["cpu_core_throttles_total core 0 package 0"] == 5.0)
        #expect(values["cpu_core_throttles_total core 1 package 0"] == 6.0)
        #expect(values["cpu_package_throttles_total package 0"] == 30.0)
        #expect(values["cpu_scaling_governor cpu 2 governor powersave"] == 1.0)
        #expect(values["cpu_scaling_governor cpu 2 governor performance"] == 0.0)
        #expect(values.keys.filter { $0.hasPrefix("cpu_isolated") }.count == 3)
        #expect(CPUStateCollector.list("5-3,x,,7,1-2-3,99999") == [7])
        let (faults, _) = host.values(CPUVulnerabilitiesCollector())
        #expect(faults["cpu_vulnerabilities_info codename mds mitigation  state vulnerable"] == 1.0)
        #expect(faults["cpu_vulnerabilities_info codename retbleed mitigation  state not affected"] == 1.0)
        let text =
            "cpu_vulnerabilities_info codename spectre_v2 mitigation Retpolines; IBPB: conditional state mitigation"
        #expect(faults[text] == 1.0)
    }

    @Test func readsMemoryChannelsNamespacesAndStripedArrays() throws {
        let host = try TreeHost()
        try host.tree.attributes(
            "sys/devices/system/edac/mc/mc0",
            [
                "ce_count": "1", "csrow0/ce_count": "1", "csrow0/ch0_ce_count": "7", "csrow0/ch0_ue_count": "2",
                "csrow0/ch0_dimm_label": "mc#0csrow#0channel#0",
            ]
        )
        let (memory, _) = host.values(EDACCollector())
        let channel = "channel 0 controller 0 csrow 0 dimm_label mc0_csrow0_channel0"
        #expect(memory["edac_channel_correctable_errors_total " + channel] == 7.0)
        #expect(memory["edac_channel_uncorrectable_errors_total " + channel] == 2.0)
        try host.tree.attributes(
            "sys/class/nvme/nvme0",
            [
                "model": "m", "cntlid": "1997", "nvme0n1/size": "3906250000", "nvme0n1/nuse": "488281250",
                "nvme0n1/queue/logical_block_size": "4096", "nvme0n1/ana_state": "optimized", "nvme0c0n2/size": "8",
            ]
        )
        let (nvme, _) = host.values(NVMeCollector())
        #expect(nvme["nvme_namespace_size_bytes device nvme0 nsid 1"] == 2e12)
        #expect(nvme["nvme_namespace_used_bytes device nvme0 nsid 1"] == 2e12)
        #expect(nvme["nvme_namespace_info ana_state optimized device nvme0 nsid 1"] == 1.0)
        #expect(nvme["nvme_namespace_size_bytes device nvme0 nsid 2"] == 4096.0)
        #expect(nvme.keys.contains { $0.hasPrefix("nvme_info cntlid 1997 device nvme0") })
        try host.tree.write(
            "md0 : active raid0 sda[0] sdb[1]\n      100 blocks super 1.2 512k chunks\n\n",
            "proc/mdstat"
        )
        try host.tree.attributes("sys/block/md0/md", ["raid_disks": "2", "level": "raid0"])
        #expect(host.values(MdadmCollector()).values["md_degraded device md0"] == 0.0)
    }

    @Test func readsDiskAttributesFromUdev() throws {
        let host = try TreeHost()
        try host.tree.write(
            "   8       0 sda 1 2 3 4 5 6 7 8 9 10 11\n 253 0 dm-0 1 2 3 4 5 6 7 8 9 10 11\n",
            "proc/diskstats"
        )
        try host.tree.write(
            "E:ID_SERIAL=virtio-1\nE:ID_ATA=1\nE:ID_ATA_WRITE_CACHE=1\nE:ID_ATA_ROTATION_RATE_RPM=7200\nE:ID_FS_TYPE=ext4\n",
            "root/run/udev/data/b8:0"
        )
        try host.tree.write("E:DM_NAME=vg-root\nE:DM_UUID=LVM-1\n", "root/run/udev/data/b253:0")
        try host.tree.attributes("sys/block/sda/queue", ["rotational": "1"])
        var collector = DiskstatsCollector(.with { $0.excludedDisks = .nothing })
        let disks = try #require(host.run(&collector).value)
        #expect(disks[0].identity?.serial == "virtio-1" && disks[0].identity?.rotational == "1")
        #expect(disks[0].identity?["ID_ATA_ROTATION_RATE_RPM"] == "7200" && disks[0].identity?["ID_FS_TYPE"] == "ext4")
        #expect(disks[1].identity?["DM_NAME"] == "vg-root" && disks[1].identity?.rotational == "")
    }
}
