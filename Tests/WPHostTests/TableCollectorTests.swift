// SPDX-License-Identifier: MIT

import Fixtures
import Testing
import WPMetrics
import WPTestKit

@testable import WPHost

@Suite struct TableCollectorTests {
    // MARK: Arrays and bonds

    @Test func readsTheStateOfArrays() throws {
        let host = try TreeHost(.server)
        let (values, report) = host.values(MdadmCollector())
        let states = ["active", "inactive", "recovering", "resync", "check"]
        let expected = [
            "md0": "active", "md1": "active", "md2": "recovering", "md3": "resync", "md4": "check", "md5": "active",
            "md127": "inactive",
        ]
        for (name, state) in expected {
            for other in states {
                #expect(values["md_state device \(name) state \(other)"] == (other == state ? 1.0 : 0.0), "\(name)")
            }
        }
        #expect(values["md_disks device md1 state failed"] == 1.0)
        #expect(values["md_disks device md1 state active"] == 2.0)
        #expect(values["md_disks_required device md1"] == 3.0)
        #expect(values["md_disks device md2 state spare"] == 1.0)
        #expect(values["md_blocks_synced device md2"] == 166_151_552.0)
        #expect(values["md_blocks_synced device md3"] == 0.0)
        #expect(values["md_blocks_synced device md1"] == values["md_blocks device md1"])
        #expect(values["md_disks device md5 state active"] == 2.0)
        #expect(values["md_degraded device md2"] == 1.0 && values["md_degraded device md4"] == nil)
        #expect(report?.isSuccess == true)
    }

    @Test func aMalformedArrayAffectsOnlyItself() throws {
        let host = try TreeHost(.damaged)
        let (values, report) = host.values(MdadmCollector())
        #expect(values["md_disks_required device md3"] == 2.0)
        #expect(values.keys.filter { $0.contains("md0") || $0.contains("md1") || $0.contains("md2") }.isEmpty)
        #expect(report?.faults.map { $0.subject.suffix(5) } == [": md0", ": md1", ": md2"])
        try host.tree.remove("proc/mdstat")
        let absent = host.run(MdadmCollector.self)
        #expect(absent.value == nil && absent.report?.faults.isEmpty == true)
    }

    @Test func countsTheLinksOfBonds() throws {
        let host = try TreeHost(.server)
        let (found, report) = host.values(BondingCollector())
        #expect(
            found == [
                "bonding_slaves master bond0": 2, "bonding_active master bond0": 1, "bonding_slaves master bond1": 0,
                "bonding_active master bond1": 0,
            ]
        )
        #expect(report?.isSuccess == true)
        // Older kernels use another name for the link.
        try host.tree.remove("sys/class/net/bond0/lower_eth0")
        try host.tree.write("up\n", "sys/class/net/bond0/slave_eth0/bonding_slave/mii_status")
        #expect(host.values(BondingCollector()).values == found)
        // An unknown state is neither up nor down.
        try host.tree.remove("sys/class/net/bond0/slave_eth0")
        let unknown = host.values(BondingCollector())
        #expect(unknown.values["bonding_slaves master bond0"] == 2.0)
        #expect(unknown.values["bonding_active master bond0"] == nil && unknown.report?.faults.count == 1)
        try host.tree.remove("sys/class/net/bonding_masters")
        #expect(host.values(BondingCollector()).report?.isAvailable == false)
    }

    // MARK: Networks

    @Test func filtersProtocolCountersByPattern() throws {
        let host = try TreeHost(.server)
        let (values, report) = host.values(NetstatCollector(HostConfiguration()))
        #expect(values["netstat_Tcp_CurrEstab"] == 3.0 && values["netstat_Tcp_MaxConn"] == nil)
        #expect(values["netstat_TcpExt_ListenDrops"] == 5.0 && values["netstat_TcpExt_EmbryonicRsts"] == nil)
        #expect(values["netstat_IpExt_InOctets"] == 6_286_396_970.0)
        #expect(values["netstat_Ip6_OutOctets"] == 536.0 && values["netstat_UdpLite6_InErrors"] == 1.0)
        #expect(report?.isSuccess == true)
        var all = NetstatCollector(try .with { $0.includedNetstatFields = try NamePattern(".*") })
        let families = host.run(&all).value?.families ?? []
        #expect(families.first { $0.name == "node_netstat_Tcp_MaxConn" }?.metrics.first?.value == .value(-1))
        #expect(families.allSatisfy { $0.type == .unknown })
        // Another kernel's columns for the same protocol are detected.
        try host.tree.write("Tcp: InSegs CurrEstab\nTcp: 1 9\n", "proc/net/snmp")
        let changed = host.run(&all).value?.families.first { $0.name == "node_netstat_Tcp_CurrEstab" }
        #expect(changed?.metrics.first?.value == .value(9))
    }

    @Test func mismatchedProtocolLinesAffectOnlyThemselves() throws {
        let host = try TreeHost(.damaged)
        let (values, report) = host.values(NetstatCollector(HostConfiguration()))
        #expect(values["netstat_Tcp_CurrEstab"] == 4.0 && values["netstat_Tcp_InErrs"] == nil)
        #expect(values["netstat_TcpExt_ListenDrops"] == nil && values["netstat_IpExt_InOctets"] == nil)
        #expect(report?.faults.count == 4)
    }

    @Test func countsSocketsPerProtocol() throws {
        let host = try TreeHost(.server)
        let (found, _) = host.values(SockstatCollector())
        #expect(found["sockstat_sockets_used"] == 1602.0 && found["sockstat_TCP_tw"] == 4.0)
        #expect(found["sockstat_TCP_mem_bytes"] == Double(22 * SystemCalls.pageSize))
        #expect(found["sockstat_TCP6_inuse"] == 17.0 && found["sockstat_FRAG6_memory"] == 0.0)
        let damaged = try TreeHost(.damaged).values(SockstatCollector())
        #expect(damaged.values["sockstat_TCP_inuse"] == 3.0 && damaged.values["sockstat_RAW_inuse"] == 1.0)
        #expect(damaged.values["sockstat_UDP_inuse"] == nil && damaged.report?.faults.count == 3)
    }

    @Test func countsPacketsByTheProcessorNumberInTheLine() throws {
        let host = try TreeHost()
        let tail = "0 0 0 0 0 0 0 0 00000002"
        try host.tree.write("000000ff 0 1 0 \(tail)\n00000010 2 0 0 0 0 0 0\n", "proc/net/softnet_stat")
        let (found, _) = host.values(SoftnetCollector())
        #expect(found["softnet_processed_total cpu 2"] == 255.0 && found["softnet_processed_total cpu 1"] == 16.0)
        let damaged = try TreeHost(.damaged).values(SoftnetCollector())
        #expect(damaged.values.count == 3 && damaged.report?.faults.count == 2)
    }

    @Test func sumsQueuesNeighboursAndTasks() throws {
        let host = try TreeHost(.server)
        #expect(
            host.values(UDPQueuesCollector()).values == [
                "udp_queues ip v4 queue tx": 11, "udp_queues ip v4 queue rx": 33, "udp_queues ip v6 queue tx": 0,
                "udp_queues ip v6 queue rx": 0,
            ]
        )
        #expect(
            host.values(ARPCollector(HostConfiguration())).values == [
                "arp_entries device eth0": 2, "arp_entries device bond0.7": 1,
            ]
        )
        let scheduler = host.values(SchedstatCollector()).values
        #expect(scheduler.count == 12)
        #expect(scheduler["schedstat_running_seconds_total cpu 1"] == 2_045_936.778163039)
        #expect(scheduler["schedstat_timeslices_total cpu 3"] == 4_767_485_309.0)
        let conntrack = host.values(ConntrackCollector()).values
        #expect(conntrack["nf_conntrack_stat_ignore"] == Double(0x588a) && conntrack.count == 10)
    }

    @Test func reportsMalformedTables() throws {
        let host = try TreeHost(.damaged)
        let queues = host.values(UDPQueuesCollector())
        #expect(queues.values["udp_queues ip v4 queue tx"] == nil && queues.report?.faults.count == 1)
        #expect(queues.values["udp_queues ip v6 queue tx"] == 0.0)
        let neighbours = host.values(ARPCollector(HostConfiguration()))
        #expect(neighbours.values == ["arp_entries device eth9": 1] && neighbours.report?.faults.count == 1)
        let scheduler = host.values(SchedstatCollector())
        #expect(scheduler.values.count == 3 && scheduler.report?.faults.count == 2)
        let tracked = host.values(ConntrackCollector())
        #expect(tracked.values["nf_conntrack_entries"] == 1234)
        #expect(!tracked.values.keys.contains { $0.hasPrefix("nf_conntrack_stat_") })
        #expect(tracked.report?.faults.count == 1)
    }

    @Test func readsTheNetworkNamespaceOfProcessOne() throws {
        let host = try TreeHost(.server)
        try host.tree.write("TCP: inuse 77\n", "proc/1/net/sockstat")
        #expect(host.values(SockstatCollector()).values["sockstat_TCP_inuse"] == 77.0)
    }

    // MARK: Hardware

    @Test func namesAndCountsHardware() throws {
        let host = try TreeHost(.server)
        #expect(
            host.values(EDACCollector()).values == [
                "edac_correctable_errors_total controller 0": 5, "edac_uncorrectable_errors_total controller 0": 6,
                "edac_csrow_correctable_errors_total controller 0 csrow unknown": 1,
                "edac_csrow_uncorrectable_errors_total controller 0 csrow unknown": 2,
                "edac_csrow_correctable_errors_total controller 0 csrow 0": 3,
                "edac_csrow_uncorrectable_errors_total controller 0 csrow 0": 4,
            ]
        )
        let battery = host.values(PowerSupplyClassCollector(HostConfiguration())).values
        #expect(battery["power_supply_voltage_volt power_supply BAT0"] == 12.229)
        #expect(battery["power_supply_temp_celsius power_supply BAT0"] == 31.8)
        #expect(battery["power_supply_time_to_empty_seconds power_supply BAT0"] == 36600.0)
        #expect(battery["power_supply_online power_supply AC"] == 0.0)
        #expect(battery["power_supply_info power_supply AC type Mains"] == 1.0)
        let path = host.tree.sys + "/class/powercap/intel-rapl"
        #expect(
            host.values(RAPLCollector()).values == [
                "rapl_package_joules_total index 0 path \(path):0": 240422.366267,
                "rapl_package_joules_total index 1 path \(path):1": 0.000007,
                "rapl_core_joules_total index 0 path \(path):0:0": 118821.284256,
                "rapl_core_joules_total index 1 path \(path):1:0": 0.000008,
            ]
        )
        #expect(host.values(NVMeCollector()).values.keys.first?.contains("model Example SSD 970") == true)
        let watchdog = host.values(WatchdogCollector()).values
        #expect(watchdog["watchdog_timeleft_seconds name watchdog0"] == 300.0)
        #expect(watchdog["watchdog_access_cs0 name watchdog0"] == nil)
        let clock = host.values(TimeCollector()).values
        #expect(clock["time_clocksource_available_info clocksource hpet device 0"] == 1.0)
        #expect(clock["time_clocksource_current_info clocksource tsc device 0"] == 1.0)
    }

    @Test func describesTheMachineByItsFirmware() throws {
        let host = try TreeHost(.server)
        #expect(host.run(DMICollector.self).value?.families.first?.metrics.first?.labels["system_vendor"] != nil)
        try host.tree.write("other\n", "sys/class/dmi/id/product_name")
        #expect(host.run(DMICollector.self).value?.families.first?.metrics.first?.labels["product_name"] == "other")
    }

    @Test func omitsInvalidHardwareNumbers() throws {
        let host = try TreeHost(.damaged)
        let errors = host.values(EDACCollector()).values
        #expect(errors["edac_correctable_errors_total controller 0"] == nil)
        #expect(errors["edac_uncorrectable_errors_total controller 0"] == 1.0)
        let battery = host.values(PowerSupplyClassCollector(HostConfiguration())).values
        #expect(battery["power_supply_capacity power_supply BAT0"] == nil)
        // Energy readable only by root is absent.
        for zone in ["intel-rapl:0", "intel-rapl:0:0", "intel-rapl:1", "intel-rapl:1:0"] {
            try host.tree.remove("sys/class/powercap/\(zone)/energy_uj")
        }
        #expect(host.values(RAPLCollector()).report?.isAvailable == false)
    }

    @Test func reportsSELinuxAsDisabledWithoutItsFileSystem() throws {
        let host = try TreeHost(.server)
        #expect(host.values(SELinuxCollector()).values == ["selinux_enabled": 0])
        try host.tree.write("1", "sys/fs/selinux/enforce")
        try host.tree.write(
            "# SELINUX= is one of\nSELINUX=permissive\nSELINUXTYPE=targeted\n",
            "root/etc/selinux/config"
        )
        #expect(
            host.values(SELinuxCollector()).values
                == ["selinux_enabled": 1, "selinux_current_mode": 1, "selinux_config_mode": 0]
        )
    }

    @Test func reportsClockSynchronization() throws {
        let host = try TreeHost()
        let discipline = ClockDiscipline(
            isSynchronized: false,
            status: 64,
            offset: -0.25,
            maximumError: 16,
            estimatedError: 16,
            frequencyRatio: 1.00002,
            loopTimeConstant: 7,
            tick: 0.01,
            atomicOffset: 37,
            pulse: ClockDiscipline.Pulse(
                frequency: 0,
                stability: 0,
                jitter: 0,
                shift: 0,
                jitterExceeded: 3,
                calibrations: 0,
                errors: 0,
                stabilityExceeded: 0
            )
        )
        let found = host.values(TimexCollector { discipline }).values
        #expect(found["timex_sync_status"] == 0.0 && found["timex_offset_seconds"] == -0.25)
        #expect(found["timex_maxerror_seconds"] == 16.0 && found["timex_tai_offset_seconds"] == 37.0)
        #expect(found["timex_pps_jitter_total"] == 3.0 && found.count == 17)
        // In a container without permission there are no values and no fault.
        let refused = host.values(TimexCollector { nil })
        #expect(refused.values.isEmpty && refused.report?.faults.isEmpty == true)
        #if os(Linux)
        if let real = SystemCalls.clockDiscipline { #expect(real.tick > 0.009 && real.tick < 0.0111) }
        #endif
    }
}
