// SPDX-License-Identifier: MIT

/// The lines of `/proc/net/rpc/nfs` and `nfsd`: a title and numbers.
struct RPCFile {
    private var lines: [String: [UInt64]] = [:]
    /// Lines with a field that is not a number.
    private(set) var damaged: [String] = []

    init(_ text: String) {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard let title = fields.first else { continue }
            // nfsd writes the time of its threads with decimals.
            let numbers = fields.dropFirst().prefix(title == "th" ? 1 : fields.count).map { UInt64($0) }
            if numbers.contains(nil) {
                damaged.append(String(line))
            } else {
                lines[String(title)] = numbers.compactMap { $0 }
            }
        }
    }

    /// A number by its line and position; nil if the kernel does not report it.
    func value(_ title: String, _ index: Int) -> Double? {
        lines[title].flatMap { index < $0.count ? Double($0[index]) : nil }
    }

    /// The counts in a line of procedures, which begins with the number of procedures.
    func counts(_ title: String, _ names: [String]) -> [(name: String, count: Double)] {
        zip(names, (lines[title] ?? []).dropFirst()).filter { !$0.0.isEmpty }.map { ($0, Double($1)) }
    }
}

/// The NFS procedures in the order of the kernel's counters. Those with an empty name are not exposed.
enum NFSProcedures {
    static let version2 = [
        "Null", "GetAttr", "SetAttr", "Root", "Lookup", "ReadLink", "Read", "WrCache", "Write", "Create", "Remove",
        "Rename", "Link", "SymLink", "MkDir", "RmDir", "ReadDir", "FsStat",
    ]
    static let version3 = [
        "Null", "GetAttr", "SetAttr", "Lookup", "Access", "ReadLink", "Read", "Write", "Create", "MkDir", "SymLink",
        "MkNod", "Remove", "RmDir", "Rename", "Link", "ReadDir", "ReadDirPlus", "FsStat", "FsInfo", "PathConf",
        "Commit",
    ]
    /// The procedures of a client (include/linux/nfs4.h).
    static let version4 = [
        "Null", "Read", "Write", "Commit", "Open", "OpenConfirm", "OpenNoattr", "OpenDowngrade", "Close", "Setattr",
        "FsInfo", "Renew", "SetClientID", "SetClientIDConfirm", "Lock", "Lockt", "Locku", "Access", "Getattr", "Lookup",
        "LookupRoot", "Remove", "Rename", "Link", "Symlink", "Create", "Pathconf", "StatFs", "ReadLink", "ReadDir",
        "ServerCaps", "DelegReturn", "GetACL", "SetACL", "FsLocations", "ReleaseLockowner", "Secinfo", "FsidPresent",
        "ExchangeID", "CreateSession", "DestroySession", "Sequence", "GetLeaseTime", "ReclaimComplete", "LayoutGet",
        "GetDeviceInfo", "LayoutCommit", "LayoutReturn", "SecinfoNoName", "TestStateID", "FreeStateID", "GetDeviceList",
        "BindConnToSession", "DestroyClientID", "Seek", "Allocate", "DeAllocate", "LayoutStats", "Clone",
    ]
    /// The operations of a server, indexed by number (RFC 7530).
    static let operations = [
        "", "", "", "Access", "Close", "Commit", "Create", "DelegPurge", "DelegReturn", "GetAttr", "GetFH", "Link",
        "Lock", "Lockt", "Locku", "Lookup", "LookupRoot", "Nverify", "Open", "OpenAttr", "OpenConfirm", "OpenDgrd",
        "PutFH", "", "", "Read", "ReadDir", "ReadLink", "Remove", "Rename", "Renew", "RestoreFH", "SaveFH", "SecInfo",
        "SetAttr", "SetClientID", "SetClientIDConfirm", "Verify", "Write", "RelLockOwner",
    ]
}

/// Reads the counters of this machine as an NFS client: `/proc/net/rpc/nfs`.
struct NFSCollector: PlainCollector {
    static let name = "nfs"

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        guard let text = context.read(context.network, "net/rpc/nfs", { $0.string }) else { return nil }
        let file = RPCFile(text)
        for line in file.damaged { context.malformed(context.proc, "net/rpc/nfs", line) }
        var families = HostFamilies()
        func add(_ name: String, _ help: String, labels: [String] = [], _ value: Double?) {
            families.add("nfs_" + name, help, labels: labels, value)
        }
        let packets = "NFS packets sent and received, by protocol."
        add("packets_total", packets, labels: ["protocol", "udp"], file.value("net", 1))
        add("packets_total", packets, labels: ["protocol", "tcp"], file.value("net", 2))
        add("connections_total", "TCP connections for NFS.", file.value("net", 3))
        add("rpcs_total", "Remote procedure calls that were made.", file.value("rpc", 0))
        add("rpc_retransmissions_total", "Remote procedure calls that were sent again.", file.value("rpc", 1))
        add("rpc_authentication_refreshes_total", "Times that credentials were renewed.", file.value("rpc", 2))
        for (version, names) in [
            ("2", NFSProcedures.version2), ("3", NFSProcedures.version3), ("4", NFSProcedures.version4),
        ] {
            for (name, count) in file.counts("proc" + version, names) {
                add(
                    "requests_total",
                    "NFS procedure calls.",
                    labels: ["method", name, "proto", version],
                    count
                )
            }
        }
        return families
    }
}
