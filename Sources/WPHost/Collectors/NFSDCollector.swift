// SPDX-License-Identifier: MIT

/// Reads the counters of this machine as an NFS server: `/proc/net/rpc/nfsd`.
struct NFSDCollector: PlainCollector {
    static let name = "nfsd"

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        guard let text = context.read(context.network, "net/rpc/nfsd", { $0.string }) else { return nil }
        let file = RPCFile(text)
        for line in file.damaged { context.malformed(context.proc, "net/rpc/nfsd", line) }
        var families = HostFamilies()
        func add(_ name: String, _ help: String, labels: [String] = [], _ value: Double?) {
            families.add("nfsd_" + name, help, labels: labels, value)
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
        // Excludes null calls from the requests, which dashboards sum.
        for (title, version, names) in [
            ("proc2", "2", [""] + NFSProcedures.version2.dropFirst()),
            ("proc3", "3", [""] + NFSProcedures.version3.dropFirst()),
            ("proc4ops", "4", NFSProcedures.operations),
        ] {
            for (name, count) in file.counts(title, names) {
                add("requests_total", "Requests to the server.", labels: ["method", name, "proto", version], count)
            }
        }
        return families
    }
}
