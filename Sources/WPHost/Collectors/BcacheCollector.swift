// SPDX-License-Identifier: MIT

/// Reads caches of block devices (Documentation/admin-guide/bcache.rst): `/sys/fs/bcache`.
struct BcacheCollector: PlainCollector {
    static let name = "bcache"

    private static let cache = NumberFile.list([
        ("average_key_size", "average_key_size_sectors", "Average length of a key."),
        ("btree_cache_size", "btree_cache_size_bytes", "Memory of the cache of the B-tree."),
        ("cache_available_percent", "cache_available_percent", "Share of the cache that can be overwritten."),
        ("congested", "congested", "How congested the cache is."),
        ("root_usage_percent", "root_usage_percent", "How full the root of the B-tree is."),
        ("tree_depth", "tree_depth", "Depth of the B-tree."),
        ("internal/active_journal_entries", "active_journal_entries", "Entries of the journal that are in use."),
        ("internal/btree_nodes", "btree_nodes", "Nodes of the B-tree."),
        ("internal/cache_read_races", "cache_read_races_total", "Reads whose data was overwritten meanwhile."),
    ])
    private static let backing = NumberFile.list([
        ("stats_total/bypassed", "bypassed_bytes_total", "Bytes that bypassed the cache."),
        ("stats_total/cache_hits", "cache_hits_total", "Requests that the cache answered."),
        ("stats_total/cache_misses", "cache_misses_total", "Requests that the cache could not answer."),
        ("stats_total/cache_bypass_hits", "cache_bypass_hits_total", "Hits of requests that bypassed the cache."),
        ("stats_total/cache_bypass_misses", "cache_bypass_misses_total", "Misses of requests that bypassed the cache."),
        (
            "stats_total/cache_miss_collisions", "cache_miss_collisions_total",
            "Data that was not cached because a write came first."
        ),
        ("stats_total/cache_readaheads", "cache_readaheads_total", "Times that data was read ahead."),
        ("dirty_data", "dirty_data_bytes", "Data that is not written back yet."),
    ])
    private static let device = NumberFile.list([
        ("io_errors", "io_errors", "Errors of the device, which decay."),
        ("metadata_written", "metadata_written_bytes_total", "Bytes of metadata that were written."),
        ("written", "written_bytes_total", "Bytes of data that were written."),
    ])
    /// The lines of `writeback_rate_debug`.
    private static let writeback = NumberFile.list([
        ("rate", "writeback_rate", "Rate of writing back."),
        ("target", "dirty_target_bytes", "Data that may wait to be written back."),
        ("proportional", "writeback_rate_proportional_term", "Proportional term of the rate of writing back."),
        ("integral", "writeback_rate_integral_term", "Integral term of the rate of writing back."),
        ("change", "writeback_change", "Last change of the rate of writing back."),
    ])

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        guard let names = context.names(context.sys, in: "fs/bcache") else { return HostFamilies() }
        let caches = names.filter { $0.utf8.count == 36 && $0.contains("-") }
        var families = HostFamilies()
        for uuid in caches {
            let directory = "fs/bcache/" + uuid
            add(Self.cache, of: uuid, in: "fs/bcache", labels: ["uuid", uuid], to: &families, &context)
            let duration = "internal/btree_read_average_duration_us"
            let microseconds = context.readAttributes(of: [uuid], in: "fs/bcache", [duration])[0].values[0]
            families.add(
                "bcache_btree_read_average_duration_seconds",
                "Average time to read a node of the B-tree.",
                labels: ["uuid", uuid],
                microseconds.flatMap(Self.number).map { $0 / 1e6 }
            )
            let members = context.names(context.sys, in: directory) ?? []
            for name in members.numbered("bdev") {
                let labels = ["backing_device", name, "uuid", uuid]
                add(Self.backing, of: name, in: directory, labels: labels, to: &families, &context)
                let text = context.readAttributes(of: [name], in: directory, ["writeback_rate_debug"])[0].values[0]
                addWriteback(text ?? "", labels: labels, to: &families)
            }
            for name in members.numbered("cache") {
                let labels = ["cache_device", name, "uuid", uuid]
                add(Self.device, of: name, in: directory, labels: labels, to: &families, &context)
            }
        }
        return families
    }

    private func add(
        _ files: [NumberFile],
        of name: String,
        in directory: String,
        labels: [String],
        to families: inout HostFamilies,
        _ context: inout CollectionContext
    ) {
        let values = context.readAttributes(of: [name], in: directory, files.map(\.file))[0].values
        families.add(files, prefix: "bcache_", contents: values, labels: labels, number: Self.number)
    }

    /// Adds lines such as `rate:               1.1M/sec`.
    private func addWriteback(_ text: String, labels: [String], to families: inout HostFamilies) {
        for line in text.split(separator: "\n") {
            let parts = line.split(separator: ":", maxSplits: 1)
            guard parts.count == 2, let attribute = Self.writeback.first(where: { $0.file == parts[0] }) else {
                continue
            }
            var value = parts[1].drop { $0.isWhitespace }
            if value.hasSuffix("/sec") { value = value.dropLast(4) }
            families.add("bcache_" + attribute.name, attribute.help, labels: labels, Self.number(String(value)))
        }
    }

    /// A human-readable number from the kernel, such as `1.1M`.
    private static func number(_ text: String) -> Double? {
        let units = "kMGTPEZY"
        guard let last = text.last, let exponent = units.firstIndex(of: last) else { return finite(text[...]) }
        let power = units.distance(from: units.startIndex, to: exponent) + 1
        return finite(text.dropLast()).map { value in (0..<power).reduce(value) { product, _ in product * 1024 } }
    }

    private static func finite(_ text: Substring) -> Double? {
        guard text.utf8.count < 64, let value = Double(text), value.isFinite else { return nil }
        return value
    }
}
