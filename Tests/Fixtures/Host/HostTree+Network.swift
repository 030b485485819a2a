// SPDX-License-Identifier: MIT

extension HostTree {
    func writeBonds() throws {
        try write("bond0 bond1\n", "sys/class/net/bonding_masters")
        try write("eth0 eth1\n", "sys/class/net/bond0/bonding/slaves")
        try write("up\n", "sys/class/net/bond0/lower_eth0/bonding_slave/mii_status")
        try write("down\n", "sys/class/net/bond0/lower_eth1/bonding_slave/mii_status")
        // Like kernels before 3.9, and a bond without interfaces.
        try write("\n", "sys/class/net/bond1/bonding/slaves")
    }

    func writeProtocols() throws {
        try write(
            """
            TcpExt: SyncookiesSent SyncookiesRecv EmbryonicRsts ListenOverflows ListenDrops TCPTimeouts TCPSynRetrans TCPOFOQueue
            TcpExt: 1 2 3 4 5 6 7 8
            IpExt: InNoRoutes InOctets OutOctets
            IpExt: 11 6286396970 2786264347

            """,
            "proc/net/netstat"
        )
        try write(
            """
            Ip: Forwarding DefaultTTL InReceives
            Ip: 1 64 57740232
            Icmp: InMsgs InErrors OutMsgs
            Icmp: 45 0 15
            IcmpMsg: InType3 OutType3
            IcmpMsg: 45 15
            Tcp: RtoMin MaxConn ActiveOpens PassiveOpens CurrEstab InSegs OutSegs RetransSegs InErrs OutRsts
            Tcp: 200 -1 3556 230 3 57252008 54915039 227 5 1003
            Udp: InDatagrams NoPorts InErrors OutDatagrams RcvbufErrors SndbufErrors
            Udp: 88542 120 0 53028 9 8
            UdpLite: InDatagrams InErrors
            UdpLite: 0 0

            """,
            "proc/net/snmp"
        )
        try write(
            """
            Ip6InReceives                   \t7
            Ip6InOctets                     \t460
            Ip6OutOctets                    \t536
            Icmp6InMsgs                     \t0
            Icmp6OutMsgs                    \t8
            Icmp6InErrors                   \t0
            Udp6InDatagrams                 \t0
            Udp6RcvbufErrors                \t9
            UdpLite6InErrors                \t1

            """,
            "proc/net/snmp6"
        )
        try write(
            """
            sockets: used 1602
            TCP: inuse 35 orphan 0 tw 4 alloc 59 mem 22
            UDP: inuse 12 mem 62
            UDPLITE: inuse 0
            RAW: inuse 0
            FRAG: inuse 0 memory 0

            """,
            "proc/net/sockstat"
        )
        try write(
            "TCP6: inuse 17\nUDP6: inuse 9\nUDPLITE6: inuse 0\nRAW6: inuse 1\nFRAG6: inuse 0 memory 0\n",
            "proc/net/sockstat6"
        )
        var packets = ""
        for cpu in 0..<128 {
            let numbers = [0x4b1e + cpu, cpu % 3, 0xf, 0, 0, 0, 0, 0, cpu % 2, 9, 0, 1, cpu, 0, 0]
            packets +=
                numbers.map { number in
                    let text = String(number, radix: 16)
                    return String(repeating: "0", count: 8 - text.count) + text
                }.joined(separator: " ") + "\n"
        }
        try write(packets, "proc/net/softnet_stat")
        let heading =
            "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode ref pointer drops\n"
        try write(
            heading
                + "    0: 00000000:0016 00000000:0000 07 0000000A:0000001f 00:00000000 00000000     0        0 2740 1 ffff 0\n"
                + "    1: 0100007F:0035 00000000:0000 07 00000001:00000002 00:00000000 00000000     0        0 2741 1 ffff 0\n",
            "proc/net/udp"
        )
        try write(heading, "proc/net/udp6")
        try write(
            """
            IP address       HW type     Flags       HW address            Mask     Device
            192.168.1.1      0x1         0x2         02:00:00:00:00:01     *        eth0
            192.168.1.2      0x1         0x0         00:00:00:00:00:00     *        eth0
            10.0.0.1         0x1         0x2         02:00:00:00:00:02     *        bond0.7

            """,
            "proc/net/arp"
        )
        var scheduler = "version 15\ntimestamp 15819019232\n"
        for cpu in 0..<4 {
            scheduler +=
                "cpu\(cpu) 498494191 0 3533438552 2553969831 3853684107 2465731542 2045936778163039 343796328169361"
            scheduler += " \(4_767_485_306 + cpu)\ndomain0 00000000,00000003 212499247 210112015\n"
        }
        try write(scheduler, "proc/schedstat")
    }
}
