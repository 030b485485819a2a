// SPDX-License-Identifier: MIT

extension HostTree {
    func writeServer() throws {
        try writeKernel()
        try writeMemory()
        try writeDisks()
        try writeMounts()
        try writeNetwork()
        try writeSensors()
        try writeBonds()
        try writeProtocols()
        try writeArrays()
        try writeHardware()
        try writeTextFiles()
        try writeProcesses()
        try write(
            """
            # A comment.
            NAME="Example Linux"
            ID=example
            ID_LIKE='rhel fedora'
            PRETTY_NAME="Example \\"Linux\\" 9.4"
            VERSION="9.4 (Oak)"
            VERSION_ID="9.4.1"
            VERSION_CODENAME=oak

            """,
            "root/etc/os-release"
        )
        try write("root:x:0:0:root:/root:/bin/sh\nforge:x:1001:1001::/srv:/bin/sh\n", "root/etc/passwd")
    }

    private func writeKernel() throws {
        var stat = "cpu  1280000 12800 640000 64000000 128000 0 25600 12800 6400 128\n"
        for cpu in 0..<128 {
            stat += "cpu\(cpu) \(10_000 + cpu) 100 5000 \(500_000 - cpu) 1000 0 200 \(cpu % 7) 50 1\n"
        }
        stat += "intr 987654321 0" + String(repeating: " 17", count: 2000) + "\n"
        stat += "ctxt 18446744073709551000\nbtime 1760000000\nprocesses 4242424\nprocs_running 7\nprocs_blocked 3\n"
        stat += "softirq 55 0 1 2 3 4 5 6 7 8 9\n"
        try write(stat, "proc/stat")
        try write(
            """
                                CPU0       CPU1
                      HI:          1          0
                   TIMER:    2831727    2803221
                  NET_RX:      99137     145223

            """,
            "proc/softirqs"
        )
        var info = ""
        for cpu in 0..<128 {
            info += "processor\t: \(cpu)\nmodel name\t: Example 9000 Processor\ncpu MHz\t\t: \(2400 + cpu % 2).500\n"
            info += "physical id\t: \(cpu % 2)\ncore id\t\t: \((cpu / 2) % 32)\nflags\t\t: fpu\n\n"
        }
        try write(info, "proc/cpuinfo")
        for cpu in 0..<4 {
            try attributes(
                "sys/devices/system/cpu/cpu\(cpu)/cpufreq",
                [
                    "cpuinfo_min_freq": "800000", "cpuinfo_max_freq": "3700000", "scaling_min_freq": "800000",
                    "scaling_max_freq": "3500000", "scaling_cur_freq": "\(2_000_000 + cpu)",
                    "scaling_governor": "powersave", "scaling_driver": "example", "related_cpus": "\(cpu)",
                    "scaling_available_governors": "performance powersave", "scaling_setspeed": "<unsupported>",
                    "cpuinfo_transition_latency": "0",
                ]
            )
        }
        try write("12.34 5.60 0.07 3/2345 67890\n", "proc/loadavg")
        try write("4096\t0\t9223372036854775807\n", "proc/sys/fs/file-nr")
        try write("1234\n", "proc/sys/net/netfilter/nf_conntrack_count")
        try write("262144\n", "proc/sys/net/netfilter/nf_conntrack_max")
        try write(
            """
            entries  searched found new invalid ignore delete delete_list insert insert_failed drop early_drop icmp_error \
             expect_new expect_create expect_delete search_restart
            00000021 00000000 00000000 00000000 00000003 0000588a 00000000 00000000 00000000 00000000 00000000 00000000 \
            00000000  00000000 00000000 00000000 00000002

            """,
            "proc/net/stat/nf_conntrack"
        )
        try write("256\n", "proc/sys/kernel/random/entropy_avail")
        try write("256\n", "proc/sys/kernel/random/poolsize")
        try write("some avg10=0.01 avg60=0.02 avg300=0.03 total=123456789\n", "proc/pressure/cpu")
        let both =
            "some avg10=0.00 avg60=0.00 avg300=0.00 total=1000001\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=77\n"
        try write(both, "proc/pressure/io")
        try write(both, "proc/pressure/memory")
        try write("0::/system.slice/agent.service\n", "proc/self/cgroup")
        try write("200000 100000\n", "sys/fs/cgroup/system.slice/cpu.max")
        try write("max 100000\n", "sys/fs/cgroup/system.slice/agent.service/cpu.max")
        try write("max\n", "sys/fs/cgroup/system.slice/agent.service/memory.max")
        try write("1048576\n", "sys/fs/cgroup/system.slice/agent.service/memory.current")
        try write("2147483648\n", "sys/fs/cgroup/system.slice/memory.max")
    }

    private func writeMemory() throws {
        try write(
            """
            MemTotal:       527956220 kB
            MemFree:        123456788 kB
            MemAvailable:   400000000 kB
            Buffers:          1234564 kB
            Cached:         234567892 kB
            SwapCached:             0 kB
            Active(anon):    98765432 kB
            Inactive(file):  87654320 kB
            SwapTotal:        8388604 kB
            SwapFree:         8000000 kB
            Slab:            12345676 kB
            SReclaimable:     9876544 kB
            Committed_AS:   345678900 kB
            HugePages_Total:       16
            HugePages_Free:         8
            Hugepagesize:        2048 kB
            DirectMap2M:    234881024 kB

            """,
            "proc/meminfo"
        )
        try write(
            """
            nr_free_pages 30864197
            pgpgin 1234567890
            pgpgout 9876543210
            pswpin 11
            pswpout 22
            pgalloc_normal 4444444
            pgfault 5555555555
            pgmajfault 66666
            pgscan_kswapd 7
            oom_kill 2

            """,
            "proc/vmstat"
        )
    }

    private func writeProcesses() throws {
        let processes: [(pid: Int, name: String, ticks: Int, pages: Int, user: Int, start: Int)] = [
            (1, "systemd", 500, 3000, 0, 10), (2, "kthreadd", 0, 0, 0, 10),
            (77, "a) R 9 (b", 90_000, 250_000, 1001, 5000), (300, "\u{1B}[31mred\u{7}", 20, 100, 4242, 9000),
        ]
        for process in processes {
            try writeProcess(
                process.pid,
                process.name,
                ticks: process.ticks,
                pages: process.pages,
                start: process.start
            )
            try write(
                "Name:\t\(process.name)\nUid:\t\(process.user)\t0\t0\t0\nVmRSS:\t    \(process.pages * 4) kB\nThreads:\t2\n",
                "proc/\(process.pid)/status"
            )
            try write("/bin/\(process.pid)\0--token\0secret\0", "proc/\(process.pid)/cmdline")
        }
    }

    /// Writes a process's `stat`.
    public func writeProcess(_ pid: Int, _ name: String, ticks: Int, pages: Int, start: Int) throws {
        try write(
            "\(pid) (\(name)) S 1 \(pid) \(pid) 0 -1 4194560 9 8 7 6 \(ticks) 0 5 4 20 0 2 0 \(start) 1000000 \(pages) "
                + "18446744073709551615 1 1 0 0 0 0 671173123 4096 1260 0 0 0 17 0 0 0 0 0 0\n",
            "proc/\(pid)/stat"
        )
    }
}
