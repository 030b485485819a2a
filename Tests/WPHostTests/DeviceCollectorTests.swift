// SPDX-License-Identifier: MIT

import Fixtures
import Testing
import WPMetrics

@testable import WPHost

@Suite struct DeviceCollectorTests {
    @Test func readsAllMemoryFieldsInOrder() throws {
        let host = try TreeHost(.server)
        let sample = try #require(host.run(MeminfoCollector.self).value)
        #expect(sample.fields.count == 17)
        #expect(sample.fields[6] == .init(name: "Active(anon)", value: 98_765_432 * 1024, isBytes: true))
        #expect(sample["HugePages_Total"] == 16)
        #expect(sample.used == UInt64((527_956_220 - 400_000_000) * 1024))
        #expect(sample.swapUsed == UInt64(388_604 * 1024))
    }

    @Test func estimatesAvailableMemoryOnAnOldKernel() throws {
        let host = try TreeHost(.old)
        #expect(host.run(MeminfoCollector.self).value?.available == UInt64(112_000 * 1024))
    }

    @Test func aMalformedFieldAffectsOnlyItself() throws {
        let host = try TreeHost(.damaged)
        let (sample, report) = host.run(MeminfoCollector.self)
        #expect(sample?.fields.map(\.name) == ["MemTotal", "HugePages_Free"])
        #expect(report?.faults.count == 4)
        #expect(sample?.available == nil)
        #expect(sample?.used == nil)
    }

    @Test func disksHaveTheColumnsOfTheKernelVersion() throws {
        let host = try TreeHost(.old)
        var collector = DiskstatsCollector(.with { $0.excludedDisks = .nothing })
        let disks = try #require(host.run(&collector).value)
        #expect(disks.map(\.device) == ["hda", "hdb1", "hdb"])
        #expect(disks[0][.ioTime] == 70)
        #expect(disks[0][.discards] == nil)
        // Four columns: reads, sectors read, writes, sectors written.
        #expect(disks[1][.reads] == 11 && disks[1][.readSectors] == 88)
        #expect(disks[1][.writes] == 12 && disks[1][.writtenSectors] == 96)
        #expect(disks[1][.ioTime] == nil && disks[1][.readTime] == nil)
    }

    @Test func namesMappedDisks() throws {
        let host = try TreeHost(.server)
        var collector = DiskstatsCollector(HostConfiguration())
        let disks = try #require(host.run(&collector).value)
        #expect(disks.filter { $0.mapperName != nil }.map(\.mapperName) == ["vg-root", "luks-0a1b", "vg-swap"])
        #expect(disks.contains { $0.device == "md127" } && !disks.contains { $0.device == "sda1" })
        #expect(disks.first?[.flushTime] == UInt64(17 * 37))
    }

    @Test func diskRatesCoverTheElapsedTime() throws {
        let host = try TreeHost()
        var collector = DiskstatsCollector(.with { $0.excludedDisks = .nothing })
        try host.tree.write("8 0 sda 10 0 100 0 20 0 200 0 0 1000 0\n", "proc/diskstats")
        #expect(host.run(&collector).value?.first?.rates == nil)
        host.advance(.milliseconds(2500))
        try host.tree.write("8 0 sda 20 0 150 0 45 0 300 0 0 2250 0\n", "proc/diskstats")
        #expect(
            host.run(&collector).value?.first?.rates
                == .init(read: 10_240, written: 20_480, reads: 4, writes: 10, utilization: 50)
        )
        // A counter that decreased has no rate, and the next rate is valid again.
        host.advance(.seconds(1))
        try host.tree.write("8 0 sda 1 0 150 0 45 0 300 0 0 2250 0\n", "proc/diskstats")
        #expect(host.run(&collector).value?.first?.rates == nil)
        host.advance(.seconds(1))
        try host.tree.write("8 0 sda 2 0 152 0 45 0 300 0 0 9250 0\n", "proc/diskstats")
        let rates = try #require(host.run(&collector).value?.first?.rates)
        #expect(rates.reads == 1 && rates.read == 1024 && rates.utilization == 100)
        // Another device with the same name.
        host.advance(.seconds(1))
        try host.tree.write("8 16 sda 3 0 152 0 45 0 300 0 0 9250 0\n", "proc/diskstats")
        #expect(host.run(&collector).value?.first?.rates == nil)
    }

    @Test func aMalformedDiskAffectsOnlyItself() throws {
        let host = try TreeHost(.damaged)
        var collector = DiskstatsCollector(.with { $0.excludedDisks = .nothing })
        let (disks, report) = host.run(&collector)
        #expect(disks?.map(\.device) == ["sda", "sdd"])
        #expect(report?.faults.count == 3)
    }

    @Test func splitsTrafficAtTheLastColon() throws {
        let host = try TreeHost(.server)
        var collector = NetdevCollector(HostConfiguration())
        let traffic = try #require(host.run(&collector).value)
        #expect(traffic.last?.device == "eth0:1")
        #expect(traffic.last?[.receivedBytes] == 8_000_000)
        #expect(traffic[1].device == "eth0" && traffic[1][.sendCompressed] == 1_000_015)
    }

    @Test func computesTrafficRatesAcrossResets() throws {
        let host = try TreeHost()
        var collector = NetdevCollector(try .with { $0.excludedTraffic = try NamePattern("^lo$") })
        func write(_ received: Int, _ sent: Int) throws {
            try host.tree.write(
                "a\nb\nlo: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\neth0:\(received) 10 0 0 0 0 0 0 \(sent) 20 0 0 0 0 0 0\n",
                "proc/net/dev"
            )
        }
        try write(100, 4_294_967_000)
        #expect(host.run(&collector).value?.map(\.device) == ["eth0"])
        host.advance(.seconds(4))
        try write(500, 4_294_967_400)
        #expect(
            host.run(&collector).value?.first?.rates
                == .init(received: 100, sent: 100, receivedPackets: 0, sentPackets: 0)
        )
        host.advance(.seconds(4))
        try write(600, 12)
        #expect(host.run(&collector).value?.first?.rates == nil)
    }

    @Test func readsTheTrafficOfProcessOne() throws {
        let host = try TreeHost(.server)
        try host.tree.write("a\nb\nhost0: 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1\n", "proc/1/net/dev")
        var collector = NetdevCollector(HostConfiguration())
        #expect(host.run(&collector).value?.map(\.device) == ["host0"])
    }

    @Test func omitsAnUnknownInterfaceSpeed() throws {
        let host = try TreeHost(.server)
        var collector = NetclassCollector(HostConfiguration())
        let (interfaces, report) = host.run(&collector)
        let byName = Dictionary(uniqueKeysWithValues: (interfaces ?? []).map { ($0.device, $0) })
        #expect(byName["bonding_masters"] == nil)
        #expect(byName["eth0"]?[.speed] == 25_000)
        #expect(byName["eth1"]?[.speed] == nil)
        #expect(byName["eth1"]?.isEnabled == false)
        #expect(byName["eth0"]?[.ifalias] == "up \"link\"")
        #expect(byName["eth1"]?[.deviceID] == 2)
        #expect(byName["wlan0"]?[.duplex] == nil)
        #expect(report?.isSuccess == true)
    }

    @Test func namesChipsByTheirDevicePath() throws {
        let host = try TreeHost(.server)
        var collector = HwmonCollector(HostConfiguration())
        let chips = try #require(host.run(&collector).value)
        #expect(
            chips.map(\.chip) == [
                "platform_coretemp_0", "pci0000:00_0000:00:1f_2", "pci0000:00_0000:00:1f_3_acpi_fan", "odd_name_1",
                "hwmon4",
                "pci0000:00_0000:00:1f_3_twin_hwmon5", "pci0000:00_0000:00:1f_3_twin_hwmon6",
            ]
        )
        #expect(chips[0].labels == ["temp1": "Package id 0", "temp2": "Core 0"])
        #expect(chips[3].values.map(\.value) == [1, -5000])
        // Invalid numbers are omitted.
        #expect(!chips[1].values.contains { $0.sensor == "temp9" })
    }

    @Test func unescapesAndFiltersMountPoints() throws {
        let host = try TreeHost(.server)
        var collector = FilesystemCollector(HostConfiguration())
        let (filesystems, report) = host.run(&collector)
        #expect(
            filesystems?.map(\.mountPoint)
                == ["/", "/srv/a blank\ttab", "/srv/back\\slash", "/srv/data", "/srv/nfs", "/srv/gone", "/tmp"]
        )
        #expect(filesystems?.map(\.isReadOnly) == [false, false, true, false, false, false, false])
        #expect(filesystems?[5].space == nil && filesystems?[5].size == nil && filesystems?[5].usedPercent == nil)
        #expect(report?.faults.map(\.reason) == [.system(2)])
        #expect(report?.isSuccess == true)
        let used = try #require(filesystems?[0].used)
        let available = try #require(filesystems?[0].available)
        #expect(filesystems?[0].usedPercent == Double(used) / Double(used + available) * 100)
    }

    @Test func aMalformedMountAffectsOnlyItself() throws {
        let host = try TreeHost(.damaged)
        var collector = FilesystemCollector(
            .with { ($0.excludedMountPoints, $0.excludedFilesystemTypes) = (.nothing, .nothing) }
        )
        let (filesystems, report) = host.run(&collector)
        #expect(filesystems?.map(\.device) == ["/dev/sda1"])
        #expect(report?.faults.count == 3)
        #expect(report?.isSuccess == false)
    }

    @Test func readsThermalZonesPressureAndOtherFiles() throws {
        let host = try TreeHost(.server)
        let zones = host.run(ThermalZoneCollector.self).value
        #expect(zones?.zones.map(\.celsius) == [47, 47.001])
        #expect(zones?.coolingDevices.map(\.maximum) == [10])
        let pressure = host.values(PressureCollector()).values
        #expect(pressure["pressure_io_waiting_seconds_total"] == 1.000001)
        #expect(pressure["pressure_io_stalled_seconds_total"] == 0.000077)
        #expect(pressure["pressure_irq_stalled_seconds_total"] == nil)
        var vmstat = VmstatCollector(HostConfiguration())
        #expect(
            host.run(&vmstat).value?.families.map { $0.name.dropFirst(12) }
                == ["pgpgin", "pgpgout", "pswpin", "pswpout", "pgfault", "pgmajfault", "oom_kill"]
        )
        let files = host.values(FilefdCollector()).values
        #expect(files == ["filefd_allocated": 4096, "filefd_maximum": 0x1p63])
        #expect(host.run(LoadavgCollector.self).value == LoadAverages(one: 12.34, five: 5.6, fifteen: 0.07))
        #expect(host.run(OSCollector.self).value?["PRETTY_NAME"] == "Example \"Linux\" 9.4")
        #expect(host.run(OSCollector.self).value?["ID_LIKE"] == "rhel fedora")
    }

    @Test func appliesTheLimitOfAnAncestorControlGroup() throws {
        let host = try TreeHost(.server)
        #expect(
            host.run(CgroupCollector.self).value
                == ControlGroup(cpus: 2, memoryLimit: 2_147_483_648, memoryUsed: 1_048_576)
        )
    }

    @Test func readsLimitsOfControlGroupVersion1() throws {
        let host = try TreeHost()
        try host.tree.write("4:memory:/box\n2:cpu,cpuacct:/box\n0::/\n", "proc/self/cgroup")
        try host.tree.write("150000\n", "sys/fs/cgroup/cpu/box/cpu.cfs_quota_us")
        try host.tree.write("100000\n", "sys/fs/cgroup/cpu/box/cpu.cfs_period_us")
        try host.tree.write("-1\n", "sys/fs/cgroup/cpu/cpu.cfs_quota_us")
        try host.tree.write("9223372036854771712\n", "sys/fs/cgroup/memory/box/memory.limit_in_bytes")
        try host.tree.write("777\n", "sys/fs/cgroup/memory/box/memory.usage_in_bytes")
        #expect(host.run(CgroupCollector.self).value == ControlGroup(cpus: 1.5, memoryLimit: nil, memoryUsed: 777))
    }
}
