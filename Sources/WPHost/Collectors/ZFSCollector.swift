// SPDX-License-Identifier: MIT

/// Reads the statistics of ZFS (spl's kstat): `/proc/spl/kstat/zfs`.
struct ZFSCollector: TableCollector {
    static let name = HostCollectorName.zfs

    private static let directory = "spl/kstat/zfs"
    /// By part of a family's name, the file.
    private static let files = [
        ("abd", "abdstats"), ("arc", "arcstats"), ("dbuf", "dbufstats"), ("dmu_tx", "dmu_tx"), ("dnode", "dnodestats"),
        ("fm", "fm"), ("vdev_cache", "vdev_cache_stats"), ("vdev_mirror", "vdev_mirror_stats"), ("xuio", "xuio_stats"),
        ("zfetch", "zfetchstats"), ("zil", "zil"),
    ]
    private static let states = ["online", "degraded", "faulted", "offline", "removed", "unavail", "suspended"]

    mutating func collect(_ context: inout CollectionContext) -> [HostTable]? {
        guard let names = context.names(context.proc, in: Self.directory) else { return nil }
        var tables = HostTables()
        for (part, file) in Self.files where names.contains(file) {
            for (name, value) in statistics(file, &context) { Self.add("zfs_\(part)_\(name)", [], value, &tables) }
        }
        // Each pool is a directory.
        for pool in names where !Self.files.contains(where: { $0.1 == pool }) {
            guard let files = try? context.proc.names(in: "\(Self.directory)/\(pool)").sorted() else { continue }
            if files.contains("io") { addTransfers(pool, &tables, &context) }
            if files.contains("state") { addState(pool, &tables, &context) }
            for file in files where file.hasPrefix("objset-") {
                addDataset("\(pool)/\(file)", pool, &tables, &context)
            }
        }
        return tables.tables.isEmpty ? nil : tables.tables
    }

    /// The numbers of a file: two lines of headings, then lines of a name, a type and a value.
    private func statistics(_ file: String, _ context: inout CollectionContext) -> [(name: String, value: Double)] {
        fields(file, &context).compactMap { fields in
            // Signed and unsigned numbers of 64 bits.
            guard fields.count == 3, fields[1] == "3" || fields[1] == "4", let value = Self.number(fields[2]) else {
                return nil
            }
            return (String(fields[0]), value)
        }
    }

    private func fields(_ file: String, _ context: inout CollectionContext) -> [[Substring]] {
        let text = context.read(context.proc, "\(Self.directory)/\(file)") { $0.string } ?? ""
        return text.split(separator: "\n").dropFirst(2).map { $0.split(whereSeparator: \.isWhitespace) }
    }

    /// A line of headings and one of values.
    private func addTransfers(_ pool: String, _ tables: inout HostTables, _ context: inout CollectionContext) {
        let text = context.read(context.proc, "\(Self.directory)/\(pool)/io") { $0.string } ?? ""
        let lines = text.split(separator: "\n").map { $0.split(whereSeparator: \.isWhitespace) }
        guard lines.count >= 3, lines[1].count == lines[2].count else { return }
        for (name, value) in zip(lines[1], lines[2]) {
            Self.add("zfs_zpool_\(name)", ["zpool", pool], Self.number(value), &tables)
        }
    }

    private func addState(_ pool: String, _ tables: inout HostTables, _ context: inout CollectionContext) {
        let state = context.read(context.proc, "\(Self.directory)/\(pool)/state") { $0.trimmed.string.lowercased() }
        guard let state else { return }
        for name in Self.states {
            let labels = ["state", name, "zpool", pool]
            tables.add("zfs_zpool_state", "Whether a pool is in a state.", labels: labels, name == state ? 1 : 0)
        }
    }

    private func addDataset(
        _ file: String,
        _ pool: String,
        _ tables: inout HostTables,
        _ context: inout CollectionContext
    ) {
        let lines = fields(file, &context)
        guard let dataset = lines.first(where: { $0.first == "dataset_name" && $0.count == 3 })?[2] else { return }
        for fields in lines where fields.count == 3 && fields[1] == "4" {
            let labels = ["dataset", String(dataset), "zpool", pool]
            Self.add("zfs_zpool_dataset_\(fields[0])", labels, Self.number(fields[2]), &tables)
        }
    }

    private static func number(_ text: Substring) -> Double? {
        UInt64(text).map { Double($0) } ?? Int64(text).map { Double($0) }
    }

    private static func add(_ name: String, _ labels: [String], _ value: Double?, _ tables: inout HostTables) {
        // What a name may not contain, such as the dots of some pools' counters, becomes `_`.
        let clean = String(
            name.unicodeScalars.map { scalar -> Character in
                switch scalar {
                case "a"..."z", "A"..."Z", "0"..."9", "_": Character(scalar)
                default: "_"
                }
            }
        )
        tables.add(clean, "The statistic \(clean.dropFirst(4)) of ZFS.", kind: .untyped, labels: labels, value)
    }
}
