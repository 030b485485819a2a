// SPDX-License-Identifier: MIT

extension HostTree {
    func writeArrays() throws {
        try write(
            """
            Personalities : [raid0] [raid1] [raid6] [raid5] [raid4]
            md0 : active raid1 sdb1[1] sda1[0]
                  523968 blocks super 1.2 [2/2] [UU]
                  bitmap: 0/1 pages [0KB], 65536KB chunk

            md1 : active raid5 sdc1[0] sdd1[1](F) sde1[3]
                  1953260544 blocks super 1.2 level 5, 512k chunk, algorithm 2 [3/2] [U_U]

            md2 : active raid6 sdg1[4] sdf1[0] sdh1[2](S) sdi1[3]
                  3906887168 blocks super 1.2 level 6, 64k chunk, algorithm 2 [4/3] [UU_U]
                  [=>...................]  recovery =  8.5% (166151552/1953443584) finish=17.0min speed=259783K/sec

            md3 : active (auto-read-only) raid1 sdk1[1] sdj1[0]
                  7932 blocks [2/2] [UU]
                    resync=PENDING

            md4 : active raid1 sdm1[1] sdl1[0]
                  195310144 blocks [2/2] [UU]
                  [===>.................]  check = 16.7% (32711552/195310144) finish=11.2min speed=240000K/sec
                  bitmap: 1/2 pages [4KB], 65536KB chunk

            md5 : active raid0 sdn1[0] sdo1[1]
                  314159265 blocks 64k chunks

            md127 : inactive sdp1[0](S) sdq1[1](S)
                  7932 blocks super 1.2

            unused devices: <none>

            """,
            "proc/mdstat"
        )
        for (name, disks, degraded) in [("md0", "2", "0"), ("md1", "3", "1"), ("md2", "4", "1")] {
            try attributes("sys/block/\(name)/md", ["raid_disks": disks, "degraded": degraded])
        }
    }

    func writeHardware() throws {
        let controllers = "sys/devices/system/edac/mc"
        try attributes(
            controllers + "/mc0",
            ["ce_count": "5", "ue_count": "6", "ce_noinfo_count": "1", "ue_noinfo_count": "2"]
        )
        try attributes(controllers + "/mc0/csrow0", ["ce_count": "3", "ue_count": "4"])
        try write("", controllers + "/power/control")
        try attributes(
            "sys/class/dmi/id",
            [
                "bios_date": "04/12/2021", "bios_vendor": "Example Inc.", "bios_version": "2.2.4",
                "board_name": "07PXPY", "board_asset_tag": "", "chassis_vendor": "Example Inc.",
                "product_name": "Server 9000", "sys_vendor": "Example \"Inc\".", "uevent": "", "modalias": "dmi:x",
            ]
        )
        try attributes(
            "sys/class/nvme/nvme0",
            ["firmware_rev": "1B2QEXP7", "model": "Example SSD 970", "serial": "S680HF8N190894I", "state": "live"]
        )
        try attributes("sys/class/power_supply/AC", ["online": "0", "type": "Mains", "uevent": "POWER_SUPPLY_NAME=AC"])
        try attributes(
            "sys/class/power_supply/BAT0",
            [
                "capacity": "98", "capacity_level": "Normal", "cycle_count": "0", "energy_full": "50060000",
                "energy_now": "49450000", "manufacturer": "LGC", "model_name": "LNV-45N1", "power_now": "4830000",
                "present": "1", "serial_number": "38109", "status": "Discharging", "technology": "Li-ion",
                "type": "Battery", "voltage_now": "12229000", "temp": "318", "time_to_empty_now": "36600",
            ]
        )
        for (zone, name, energy) in [
            ("intel-rapl:0", "package-0", "240422366267"), ("intel-rapl:0:0", "core", "118821284256"),
            ("intel-rapl:1", "package-1", "7"), ("intel-rapl:1:0", "core", "8"),
        ] {
            try attributes(
                "sys/class/powercap/" + zone,
                ["name": name, "energy_uj": energy, "max_energy_range_uj": "262143328850"]
            )
        }
        try write("0\n", "sys/class/powercap/intel-rapl/enabled")
        try attributes(
            "sys/class/watchdog/watchdog0",
            [
                "bootstatus": "1", "fw_version": "2", "identity": "Software Watchdog", "nowayout": "0",
                "options": "0x8380", "pretimeout": "120", "pretimeout_governor": "noop", "state": "active",
                "status": "0x8000", "timeleft": "300", "timeout": "60",
            ]
        )
        try attributes(
            "sys/devices/system/clocksource/clocksource0",
            ["available_clocksource": "tsc hpet acpi_pm ", "current_clocksource": "tsc"]
        )
    }

    /// The directory of text files.
    public var textFiles: String { root + "/var/lib/texts" }

    func writeTextFiles() throws {
        let files = [
            "a.prom": """
            # HELP backup_age_seconds Age of the last backup.
            # TYPE backup_age_seconds gauge
            backup_age_seconds{job="db"} 3600
            # HELP runs_total Runs.
            # TYPE runs_total counter
            runs_total 7
            # TYPE took_seconds histogram
            took_seconds_bucket{le="1"} 2
            took_seconds_bucket{le="+Inf"} 3
            took_seconds_sum 2.5
            took_seconds_count 3
            # TYPE waited_seconds summary
            waited_seconds{quantile="0.5"} 0.25
            waited_seconds_sum 1
            waited_seconds_count 4
            plain 1

            """,
            "b.prom": """
            # HELP backup_age_seconds Age of the last backup.
            # TYPE backup_age_seconds gauge
            backup_age_seconds{job="files",host="b"} 60
            # HELP runs_total Runs.
            # TYPE runs_total gauge
            runs_total{other="type"} 1
            plain{from="b"} 2

            """,
            "broken.prom": "# TYPE good gauge\ngood 1\nbad line here x\n",
            "dated.prom": "dated 1 1700000000000\n",
            "unended.prom": "unended 1",
            "ignored.txt": "ignored 1\n",
        ]
        for (name, text) in files { try write(text, "root/var/lib/texts/" + name) }
    }

    func writeDamagedDevices() throws {
        try write(
            """
            Personalities : [raid1]
            md0 : active raid1 sdb1[1] sda1[0]
                  many blocks [2/2] [UU]

            md1 : active raid1 sdc1[0]
                  100 blocks [2/x] [U_]

            md2 :
            md3 : active raid1 sde1[0] sdf1[1]
                  100 blocks super 1.2 [2/2] [UU]

            """,
            "proc/mdstat"
        )
        try write("TcpExt: TCPTimeouts ListenDrops\nTcpExt: 1\nIpExt: InOctets\nTcp: 5\n", "proc/net/netstat")
        try write("Tcp: CurrEstab InErrs\nTcp: 4 many\nUdp: NoPorts\n", "proc/net/snmp")
        try write("TCP: inuse 3 orphan\nUDP: inuse x\nno colon\nRAW: inuse 1\n", "proc/net/sockstat")
        try write("00000001 00000002 00000003\n0000000g 0 0\n00000004\n", "proc/net/softnet_stat")
        try write("heading\n 0: 0:0 0:0 07 zz:00000000\n", "proc/net/udp")
        try write("heading\n192.168.1.1 0x1\n1 2 3 4 5 eth9\n", "proc/net/arp")
        try write("cpu0 1 2 3 4 5 6 7 8 9\ncpu1 1 2 3\ncpux 1 2 3 4 5 6 7 8 9\n", "proc/schedstat")
        try write("found drop\n00000001 xyz\n", "proc/net/stat/nf_conntrack")
        try attributes("sys/devices/system/edac/mc/mc0", ["ce_count": "many", "ue_count": "1"])
        try write("bond0 bond9\n", "sys/class/net/bonding_masters")
        try remove("sys/class/net/bond0/lower_eth1")
        try attributes("sys/class/power_supply/BAT0", ["capacity": "full", "voltage_now": "9"])
    }
}
