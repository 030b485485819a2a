// SPDX-License-Identifier: MIT

/// The lines of `/proc/net/rpc/nfs` and `nfsd`: a title and numbers.
private struct RPCFile {
    private var lines: [String: [UInt64]] = [:]
    /// Lines that have something else than numbers.
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

    /// A number by its line and position; nil when the kernel does not have it.
    func value(_ title: String, _ index: Int) -> Double? {
        lines[title].flatMap { index < $0.count ? Double($0[index]) : nil }
    }

    /// The counts of a line of procedures, the first of which is their number.
    func counts(_ title: String, _ names: [String]) -> [(name: String, count: Double)] {
        zip(names, (lines[title] ?? []).dropFirst()).filter { !$0.0.isEmpty }.map { ($0, Double($1)) }
    }
}

/// The procedures of NFS in the order of the kernel's counters. An empty name is not shown.
private enum NFSProcedures {
    static let version2 = [
        "Null", "GetAttr", "SetAttr", "Root", "Lookup", "ReadLink", "Read", "WrCache", "Write", "Create", "Remove",
        "Rename", "Link", "SymLink", "MkDir", "RmDir", "ReadDir", "FsStat",
    ]
    static let version3 = [
        "Null", "GetAttr", "SetAttr", "Lookup", "Access", "ReadLink", "Read", "Write", "Create", "MkDir", "SymLink",
        "MkNod", "Remove", "RmDir", "Rename", "Link", "ReadDir", "ReadDirPlus", "FsStat", "FsInfo", "PathConf",
        "Commit",
    ]
    /// Of a client (include/linux/nfs4.h).
    static let version4 = [
        "Null", "Read", "Write", "Commit", "Open", "OpenConfirm", "OpenNoattr", "OpenDowngrade", "Close", "Setattr",
        "FsInfo", "Renew", "SetClientID", "SetClientIDConfirm", "Lock", "Lockt", "Locku", "Access", "Getattr", "Lookup",
        "LookupRoot", "Remove", "Rename", "Link", "Symlink", "Create", "Pathconf", "StatFs", "ReadLink", "ReadDir",
        "ServerCaps", "DelegReturn", "GetACL", "SetACL", "FsLocations", "ReleaseLockowner", "Secinfo", "FsidPresent",
        "ExchangeID", "CreateSession", "DestroySession", "Sequence", "GetLeaseTime", "ReclaimComplete", "LayoutGet",
        "GetDeviceInfo", "LayoutCommit", "LayoutReturn", "SecinfoNoName", "TestStateID", "FreeStateID", "GetDeviceList",
        "BindConnToSession", "DestroyClientID", "Seek", "Allocate", "DeAllocate", "LayoutStats", "Clone",
    ]
    /// Of a server: the operations by their numbers (RFC 7530).
    static let operations = [
        "", "", "", "Access", "Close", "Commit", "Create", "DelegPurge", "DelegReturn", "GetAttr", "GetFH", "Link",
        "Lock", "Lockt", "Locku", "Lookup", "LookupRoot", "Nverify", "Open", "OpenAttr", "OpenConfirm", "OpenDgrd",
        "PutFH", "", "", "Read", "ReadDir", "ReadLink", "Remove", "Rename", "Renew", "RestoreFH", "SaveFH", "SecInfo",
        "SetAttr", "SetClientID", "SetClientIDConfirm", "Verify", "Write", "RelLockOwner",
    ]
}

/// Reads the counters of this machine as a client of NFS: `/proc/net/rpc/nfs`.
struct NFSClientCollector: TableCollector {
    static let name = HostCollectorName.nfs

    mutating func collect(_ context: inout CollectionContext) -> [HostTable]? {
        guard let text = context.readNetwork("net/rpc/nfs", { $0.string }) else { return nil }
        let file = RPCFile(text)
        for line in file.damaged { context.malformed(context.proc, "net/rpc/nfs", line) }
        var tables = HostTables()
        func add(_ name: String, _ help: String, labels: [String] = [], _ value: Double?) {
            tables.add("nfs_" + name, help, kind: .counter, labels: labels, value)
        }
        let packets = "Packets of NFS that were sent and received, by protocol."
        add("packets_total", packets, labels: ["protocol", "udp"], file.value("net", 1))
        add("packets_total", packets, labels: ["protocol", "tcp"], file.value("net", 2))
        add("connections_total", "TCP connections of NFS.", file.value("net", 3))
        add("rpcs_total", "Remote procedure calls that were made.", file.value("rpc", 0))
        add("rpc_retransmissions_total", "Remote procedure calls that were sent again.", file.value("rpc", 1))
        add("rpc_authentication_refreshes_total", "Times that credentials were renewed.", file.value("rpc", 2))
        for (version, names) in [
            ("2", NFSProcedures.version2), ("3", NFSProcedures.version3), ("4", NFSProcedures.version4),
        ] {
            for (name, count) in file.counts("proc" + version, names) {
                add(
                    "requests_total",
                    "Procedures of NFS that were called.",
                    labels: ["method", name, "proto", version],
                    count
                )
            }
        }
        return tables.tables
    }
}

/// Reads the counters of this machine as a server of NFS: `/proc/net/rpc/nfsd`.
struct NFSServerCollector: TableCollector {
    static let name = HostCollectorName.nfsd

    mutating func collect(_ context: inout CollectionContext) -> [HostTable]? {
        guard let text = context.readNetwork("net/rpc/nfsd", { $0.string }) else { return nil }
        let file = RPCFile(text)
        for line in file.damaged { context.malformed(context.proc, "net/rpc/nfsd", line) }
        var tables = HostTables()
        func add(_ name: String, _ help: String, labels: [String] = [], _ value: Double?) {
            let kind: HostTable.Kind = name.hasSuffix("_total") ? .counter : .gauge
            tables.add("nfsd_" + name, help, kind: kind, labels: labels, value)
        }
        add("reply_cache_hits_total", "Requests that were answered again from the cache.", file.value("rc", 0))
        add("reply_cache_misses_total", "Requests whose answer was put into the cache.", file.value("rc", 1))
        add("reply_cache_nocache_total", "Requests whose answer is not cached.", file.value("rc", 2))
        add("file_handles_stale_total", "Stale file handles.", file.value("fh", 0))
        add("disk_bytes_read_total", "Bytes that were read for clients.", file.value("io", 0))
        add("disk_bytes_written_total", "Bytes that were written for clients.", file.value("io", 1))
        add("server_threads", "Threads of the server.", file.value("th", 0))
        add("read_ahead_cache_size_blocks", "Size of the read-ahead cache.", file.value("ra", 0))
        add(
            "read_ahead_cache_not_found_total",
            "Look-ups that the read-ahead cache could not answer.",
            file.value("ra", 11)
        )
        let packets = "Packets that the server sent and received, by protocol."
        add("packets_total", packets, labels: ["proto", "udp"], file.value("net", 1))
        add("packets_total", packets, labels: ["proto", "tcp"], file.value("net", 2))
        add("connections_total", "TCP connections to the server.", file.value("net", 3))
        add("server_rpcs_total", "Remote procedure calls that were received.", file.value("rpc", 0))
        for (index, error) in [(2, "fmt"), (3, "auth"), (4, "cInt")] {
            let help = "Remote procedure calls that were rejected, by error."
            add("rpc_errors_total", help, labels: ["error", error], file.value("rpc", index))
        }
        // A server does not count null calls among the requests that dashboards add up.
        for (title, version, names) in [
            ("proc2", "2", [""] + NFSProcedures.version2.dropFirst()),
            ("proc3", "3", [""] + NFSProcedures.version3.dropFirst()),
            ("proc4ops", "4", NFSProcedures.operations),
        ] {
            for (name, count) in file.counts(title, names) {
                add("requests_total", "Requests to the server.", labels: ["method", name, "proto", version], count)
            }
        }
        return tables.tables
    }
}
