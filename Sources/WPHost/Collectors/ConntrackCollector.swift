// SPDX-License-Identifier: MIT

/// Reads the number of connections that the packet filter tracks: `/proc/sys/net/netfilter/nf_conntrack_count` and
/// `…_max`, and `/proc/net/stat/nf_conntrack`.
struct ConntrackCollector: PlainCollector {
    static let name = "conntrack"

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        var families = HostFamilies()
        let entries = context.readNumber("sys/net/netfilter/nf_conntrack_count")
        families.add("nf_conntrack_entries", "Connections that are tracked.", entries)
        let limit = context.readNumber("sys/net/netfilter/nf_conntrack_max")
        families.add("nf_conntrack_entries_limit", "Connections that can be tracked.", limit)
        guard !families.isEmpty else { return nil }
        for (name, value) in counters(&context) {
            let help = "The counter \(name) of /proc/net/stat/nf_conntrack."
            families.add("nf_conntrack_stat_" + name, help, value)
        }
        return families
    }

    private static let columns = [
        "found", "invalid", "ignore", "insert", "insert_failed", "drop", "early_drop", "search_restart",
    ]

    /// The sums over all processors. The file contains a line of headings, which depend on the kernel, and a line of
    /// hexadecimal numbers per processor.
    private func counters(_ context: inout CollectionContext) -> [(name: String, value: UInt64)] {
        var isValid = true
        let file = "net/stat/nf_conntrack"
        let counters = context.read(context.network, file) { bytes -> [(name: String, value: UInt64)] in
            let lines = bytes.lines
            let names = (lines.first?.fields ?? []).map(\.string)
            var sums = [UInt64](repeating: 0, count: names.count)
            for line in lines.dropFirst() {
                var fields = ByteScanner(line)
                for index in names.indices {
                    guard let value = fields.field()?.hexadecimal, let total = sum(sums[index], value) else {
                        isValid = false
                        return []
                    }
                    sums[index] = total
                }
            }
            return zip(names, sums).filter { Self.columns.contains($0.0) }.map { (name: $0, value: $1) }
        }
        if !isValid { context.malformed(context.proc, file, "") }
        return counters ?? []
    }
}
