// SPDX-License-Identifier: MIT

extension HostTree {
    func writeOld() throws {
        try write(
            """
            cpu  1000 20 300 40000
            cpu0 1000 20 300 40000
            page 5 6
            swap 1 0
            intr 5000 4000 1000
            disk_io: (3,0):(10,5,40,5,40)
            ctxt 70000
            btime 1100000000
            processes 800

            """,
            "proc/stat"
        )
        try write("processor\t: 0\nmodel name\t: Example III\ncpu MHz\t\t: 733.128\n", "proc/cpuinfo")
        try write("0.00 0.01 0.05 1/40 900\n", "proc/loadavg")
        try write(
            "MemTotal:       256000 kB\nMemFree:         64000 kB\nBuffers:         16000 kB\nCached:          32000 kB\n"
                + "SwapTotal:           0 kB\nSwapFree:            0 kB\n",
            "proc/meminfo"
        )
        try write(
            "   3    0 hda 10 2 400 50 20 3 800 60 0 70 110\n   3   65 hdb1 11 88 12 96\n   3   64 hdb 1 2 3 4 5 6 7 8 9 10 11\n",
            "proc/diskstats"
        )
        try write(
            "Inter-|   Receive  |  Transmit\n face |bytes |bytes\n"
                + "  eth0:4294967295 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n",
            "proc/net/dev"
        )
        try write("nr_dirty 1\npgpgin 20\npgpgout 30\npswpin 0\npswpout 0\npgfault 40\n", "proc/vmstat")
        try write("100\t20\t26000\n", "proc/sys/fs/file-nr")
        try write("3584\n", "proc/sys/kernel/random/entropy_avail")
        try write("4096\n", "proc/sys/kernel/random/poolsize")
        try write("rootfs / rootfs rw 0 0\n/dev/hda1 / ext3 rw 0 0\n", "proc/1/mounts")
        try write(
            "10 1 0:1 / / rw - rootfs rootfs rw\n11 1 3:1 / / rw,noatime - ext3 /dev/hda1 rw,data=ordered\n",
            "proc/1/mountinfo"
        )
        try directory("sys/class/net")
        try write(
            "Personalities : [raid1]\nmd0 : active raid1 hdc1[1] hda1[0]\n      104320 blocks [2/2] [UU]\n      \n"
                + "unused devices: <none>\n",
            "proc/mdstat"
        )
        try write("sockets: used 40\nTCP: inuse 5\nUDP: inuse 1\n", "proc/net/sockstat")
        try write(
            "00015c73 00020e76 00000769 00000000 00000000 00000000 00000000 00000000 00000003\n",
            "proc/net/softnet_stat"
        )
    }

    func writeDamaged() throws {
        try writeServer()
        try write(
            "cpu  100 1 50 9000 5 0 1 0 0 0\ncpu0 50 x 25 4500\ncpu1 50 0 25 4500 2 0 0 0 0 0\ncpuX 1 2 3 4\n"
                + "intr many\nctxt 99\nbtime 1760000000\nprocesses 18446744073709551616\nprocs_running 1\nprocs_blocked\n",
            "proc/stat"
        )
        try write("0.1 abc 0.3\n", "proc/loadavg")
        try write(
            "MemTotal: 1000 kB\nMemFree: -5 kB\nnonsense\nCached: 300 MB\nHugePages_Free: 3\nBuffers: 99999999999999999999 kB\n",
            "proc/meminfo"
        )
        try write(
            "   8 0 sda 1 2 3 4 5 6 7 8 9 10 11\n   8 16 sdb 1 2 three 4 5 6 7 8 9 10 11\n   8 32 sdc 1 2 3\n   8\n"
                + "   8 48 sdd 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n",
            "proc/diskstats"
        )
        try write(
            "a\nb\n  eth0: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n  eth1: 1 2 3\nno colon\n  eth2: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 -1\n",
            "proc/net/dev"
        )
        try write("pgpgin 1\npgpgout x\noom_kill\npgfault 4\n", "proc/vmstat")
        try write(
            "not a mount\n31 1 8:1 / / rw - ext4 /dev/sda1 rw\n32 1 8:x / /srv rw - ext4 /dev/sdb rw\n33 1 8:2 / /srv/data rw\n",
            "proc/1/mountinfo"
        )
        try write("some avg10=0.00\nfull avg10=0.00 total=77\n", "proc/pressure/io")
        try write("one two\n", "proc/sys/fs/file-nr")
        try write("77 (no end", "proc/77/stat")
        try write("CPU0 CPU1\nHI: 7\nTIMER: 5 x\nNET_RX 1 2\n", "proc/softirqs")
        try writeDamagedDevices()
    }
}
