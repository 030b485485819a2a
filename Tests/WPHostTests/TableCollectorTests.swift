// SPDX-License-Identifier: MIT

import HostFixtures
import Testing
import WPTestKit

@testable import WPHost

@Suite struct TableCollectorTests {
    /// Runs a collector once, and gives its values by family and labels.
    private func values<Collector: TableCollector>(
        _ host: TreeHost,
        _ collector: Collector
    ) -> (values: [String: Double], report: CollectorReport?) {
        var collector = collector
        let (tables, report) = host.run(&collector)
        var values: [String: Double] = [:]
        for table in tables ?? [] {
            for row in table.rows { values[([table.name] + row.labels).joined(separator: " ")] = row.value }
        }
        return (values, report)
    }

    // MARK: Arrays and bonds

    @Test func arraysAreInOneOfTheirStates() throws {
        let host = try TreeHost(.server)
        let (values, report) = values(host, ArrayCollector())
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

    @Test func anArrayThatIsMalformedIsLostAlone() throws {
        let host = try TreeHost(.damaged)
        let (values, report) = values(host, ArrayCollector())
        #expect(values["md_disks_required device md3"] == 2.0)
        #expect(values.keys.filter { $0.contains("md0") || $0.contains("md1") || $0.contains("md2") }.isEmpty)
        #expect(report?.faults.map { $0.subject.suffix(5) } == [": md0", ": md1", ": md2"])
        try host.tree.remove("proc/mdstat")
        var collector = ArrayCollector()
        let absent = host.run(&collector)
        #expect(absent.value == nil && absent.report?.faults.isEmpty == true)
    }

    @Test func bondsCountTheirLinks() throws {
        let host = try TreeHost(.server)
        let (found, report) = values(host, BondCollector())
        #expect(
            found == [
                "bonding_slaves master bond0": 2, "bonding_active master bond0": 1, "bonding_slaves master bond1": 0,
                "bonding_active master bond1": 0,
            ]
        )
        #expect(report?.isSuccess == true)
        // Older kernels call the link otherwise.
        try host.tree.remove("sys/class/net/bond0/lower_eth0")
        try host.tree.write("up\n", "sys/class/net/bond0/slave_eth0/bonding_slave/mii_status")
        #expect(values(host, BondCollector()).values == found)
        // One whose state is not known is neither up nor down.
        try host.tree.remove("sys/class/net/bond0/slave_eth0")
        let unknown = values(host, BondCollector())
        #expect(unknown.values["bonding_slaves master bond0"] == 2.0)
        #expect(unknown.values["bonding_active master bond0"] == nil && unknown.report?.faults.count == 1)
        try host.tree.remove("sys/class/net/bonding_masters")
        #expect(values(host, BondCollector()).report?.isAvailable == false)
    }

    // MARK: Networks

    @Test func countersOfProtocolsAreThoseThatAPatternNames() throws {
        let host = try TreeHost(.server)
        let (values, report) = values(host, ProtocolCollector(HostConfiguration.defaultNetstatFields))
        #expect(values["netstat_Tcp_CurrEstab"] == 3.0 && values["netstat_Tcp_MaxConn"] == nil)
        #expect(values["netstat_TcpExt_ListenDrops"] == 5.0 && values["netstat_TcpExt_EmbryonicRsts"] == nil)
        #expect(values["netstat_IpExt_InOctets"] == 6_286_396_970.0)
        #expect(values["netstat_Ip6_OutOctets"] == 536.0 && values["netstat_UdpLite6_InErrors"] == 1.0)
        #expect(report?.isSuccess == true)
        var all = ProtocolCollector(try NamePattern(".*"))
        let tables = host.run(&all).value ?? []
        #expect(tables.first { $0.name == "netstat_Tcp_MaxConn" }?.rows.first?.value == -1.0)
        #expect(tables.allSatisfy { $0.kind == .untyped })
        // Another kernel's columns under the same protocol are seen.
        try host.tree.write("Tcp: InSegs CurrEstab\nTcp: 1 9\n", "proc/net/snmp")
        #expect(host.run(&all).value?.first { $0.name == "netstat_Tcp_CurrEstab" }?.rows.first?.value == 9.0)
    }

    @Test func linesOfProtocolsThatDoNotBelongTogetherAreLostAlone() throws {
        let host = try TreeHost(.damaged)
        let (values, report) = values(host, ProtocolCollector(HostConfiguration.defaultNetstatFields))
        #expect(values["netstat_Tcp_CurrEstab"] == 4.0 && values["netstat_Tcp_InErrs"] == nil)
        #expect(values["netstat_TcpExt_ListenDrops"] == nil && values["netstat_IpExt_InOctets"] == nil)
        #expect(report?.faults.count == 4)
    }

    @Test func socketsAreCountedByProtocol() throws {
        let host = try TreeHost(.server)
        let (found, _) = values(host, SocketCollector())
        #expect(found["sockstat_sockets_used"] == 1602.0 && found["sockstat_TCP_tw"] == 4.0)
        #expect(found["sockstat_TCP_mem_bytes"] == Double(22 * SystemCalls.pageSize))
        #expect(found["sockstat_TCP6_inuse"] == 17.0 && found["sockstat_FRAG6_memory"] == 0.0)
        let damaged = values(try TreeHost(.damaged), SocketCollector())
        #expect(damaged.values["sockstat_TCP_inuse"] == 3.0 && damaged.values["sockstat_RAW_inuse"] == 1.0)
        #expect(damaged.values["sockstat_UDP_inuse"] == nil && damaged.report?.faults.count == 3)
    }

    @Test func packetsAreCountedByTheProcessorThatTheLineNames() throws {
        let host = try TreeHost()
        let tail = "0 0 0 0 0 0 0 0 00000002"
        try host.tree.write("000000ff 0 1 0 \(tail)\n00000010 2 0 0 0 0 0 0\n", "proc/net/softnet_stat")
        let (found, _) = values(host, PacketQueueCollector())
        #expect(found["softnet_processed_total cpu 2"] == 255.0 && found["softnet_processed_total cpu 1"] == 16.0)
        let damaged = values(try TreeHost(.damaged), PacketQueueCollector())
        #expect(damaged.values.count == 3 && damaged.report?.faults.count == 2)
    }

    @Test func queuesNeighboursAndTasksAreSummed() throws {
        let host = try TreeHost(.server)
        #expect(
            values(host, DatagramQueueCollector()).values == [
                "udp_queues ip v4 queue tx": 11, "udp_queues ip v4 queue rx": 33, "udp_queues ip v6 queue tx": 0,
                "udp_queues ip v6 queue rx": 0,
            ]
        )
        #expect(
            values(host, NeighbourCollector()).values == [
                "arp_entries device eth0": 2, "arp_entries device bond0.7": 1,
            ]
        )
        let scheduler = values(host, SchedulerCollector()).values
        #expect(scheduler.count == 12)
        #expect(scheduler["schedstat_running_seconds_total cpu 1"] == 2_045_936.778163039)
        #expect(scheduler["schedstat_timeslices_total cpu 3"] == 4_767_485_309.0)
        var conntrack = ConntrackCollector()
        let counters = host.run(&conntrack).value?.counters ?? []
        #expect(counters.first { $0.name == "ignore" }?.value == UInt64(0x588a) && counters.count == 8)
    }

    @Test func whatIsMalformedOfThemIsReported() throws {
        let host = try TreeHost(.damaged)
        let queues = values(host, DatagramQueueCollector())
        #expect(queues.values["udp_queues ip v4 queue tx"] == nil && queues.report?.faults.count == 1)
        #expect(queues.values["udp_queues ip v6 queue tx"] == 0.0)
        let neighbours = values(host, NeighbourCollector())
        #expect(neighbours.values == ["arp_entries device eth9": 1] && neighbours.report?.faults.count == 1)
        let scheduler = values(host, SchedulerCollector())
        #expect(scheduler.values.count == 3 && scheduler.report?.faults.count == 2)
        var conntrack = ConntrackCollector()
        let tracked = host.run(&conntrack)
        #expect(tracked.value?.entries == 1234 && tracked.value?.counters == [])
        #expect(tracked.report?.faults.count == 1)
    }

    @Test func theHostsNetworkIsThatOfItsFirstProcess() throws {
        let host = try TreeHost(.server)
        try host.tree.write("TCP: inuse 77\n", "proc/1/net/sockstat")
        #expect(values(host, SocketCollector()).values["sockstat_TCP_inuse"] == 77.0)
    }

    // MARK: Hardware

    @Test func hardwareIsNamedAndCounted() throws {
        let host = try TreeHost(.server)
        #expect(
            values(host, MemoryErrorCollector()).values == [
                "edac_correctable_errors_total controller 0": 5, "edac_uncorrectable_errors_total controller 0": 6,
                "edac_csrow_correctable_errors_total controller 0 csrow unknown": 1,
                "edac_csrow_uncorrectable_errors_total controller 0 csrow unknown": 2,
                "edac_csrow_correctable_errors_total controller 0 csrow 0": 3,
                "edac_csrow_uncorrectable_errors_total controller 0 csrow 0": 4,
            ]
        )
        let battery = values(host, PowerSupplyCollector()).values
        #expect(battery["power_supply_voltage_volt power_supply BAT0"] == 12.229)
        #expect(battery["power_supply_temp_celsius power_supply BAT0"] == 31.8)
        #expect(battery["power_supply_time_to_empty_seconds power_supply BAT0"] == 36600.0)
        #expect(battery["power_supply_online power_supply AC"] == 0.0)
        #expect(battery["power_supply_info power_supply AC type Mains"] == 1.0)
        let path = host.tree.sys + "/class/powercap/intel-rapl"
        #expect(
            values(host, EnergyCollector()).values == [
                "rapl_package_joules_total index 0 path \(path):0": 240422.366267,
                "rapl_package_joules_total index 1 path \(path):1": 0.000007,
                "rapl_core_joules_total index 0 path \(path):0:0": 118821.284256,
                "rapl_core_joules_total index 1 path \(path):1:0": 0.000008,
            ]
        )
        #expect(values(host, NVMeCollector()).values.keys.first?.contains("model Example SSD 970") == true)
        let watchdog = values(host, WatchdogCollector()).values
        #expect(watchdog["watchdog_timeleft_seconds name watchdog0"] == 300.0)
        #expect(watchdog["watchdog_access_cs0 name watchdog0"] == nil)
        let clock = values(host, ClockSourceCollector()).values
        #expect(clock["time_clocksource_available_info clocksource hpet device 0"] == 1.0)
        #expect(clock["time_clocksource_current_info clocksource tsc device 0"] == 1.0)
    }

    @Test func theFirmwareIsAskedOnceInAMinute() throws {
        let host = try TreeHost(.server)
        var collector = FirmwareCollector()
        let first = host.run(&collector).value
        #expect(first?.first?.rows.first?.labels.contains("system_vendor") == true)
        try host.tree.write("other\n", "sys/class/dmi/id/product_name")
        host.advance(.seconds(59))
        #expect(host.run(&collector).value == first)
        host.advance(.seconds(1))
        #expect(host.run(&collector).value != first)
    }

    @Test func numbersOfHardwareThatAreNoneAreAbsent() throws {
        let host = try TreeHost(.damaged)
        let errors = values(host, MemoryErrorCollector()).values
        #expect(errors["edac_correctable_errors_total controller 0"] == nil)
        #expect(errors["edac_uncorrectable_errors_total controller 0"] == 1.0)
        let battery = values(host, PowerSupplyCollector()).values
        #expect(battery["power_supply_capacity power_supply BAT0"] == nil)
        // Energy that only root may read is not there at all.
        for zone in ["intel-rapl:0", "intel-rapl:0:0", "intel-rapl:1", "intel-rapl:1:0"] {
            try host.tree.remove("sys/class/powercap/\(zone)/energy_uj")
        }
        #expect(values(host, EnergyCollector()).report?.isAvailable == false)
    }

    @Test func securityIsOffWithoutItsFileSystem() throws {
        let host = try TreeHost(.server)
        #expect(values(host, SELinuxCollector()).values == ["selinux_enabled": 0])
        try host.tree.write("1", "sys/fs/selinux/enforce")
        try host.tree.write(
            "# SELINUX= is one of\nSELINUX=permissive\nSELINUXTYPE=targeted\n",
            "root/etc/selinux/config"
        )
        #expect(
            values(host, SELinuxCollector()).values
                == ["selinux_enabled": 1, "selinux_current_mode": 1, "selinux_config_mode": 0]
        )
    }

    @Test func theClockSaysHowWellItIsKept() throws {
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
        let found = values(host, ClockCollector { discipline }).values
        #expect(found["timex_sync_status"] == 0.0 && found["timex_offset_seconds"] == -0.25)
        #expect(found["timex_maxerror_seconds"] == 16.0 && found["timex_tai_offset_seconds"] == 37.0)
        #expect(found["timex_pps_jitter_total"] == 3.0 && found.count == 17)
        // A container that may not ask has no values, and no fault.
        let refused = values(host, ClockCollector { nil })
        #expect(refused.values.isEmpty && refused.report?.faults.isEmpty == true)
        #if os(Linux)
        if let real = SystemCalls.clockDiscipline { #expect(real.tick > 0.009 && real.tick < 0.0111) }
        #endif
    }
}
