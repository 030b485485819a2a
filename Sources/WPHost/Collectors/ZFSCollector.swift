// SPDX-License-Identifier: MIT

import WPMetrics

/// Reads the statistics of ZFS (spl's kstat): `/proc/spl/kstat/zfs`.
struct ZFSCollector: PlainCollector {
    static let name = "zfs"

    private static let directory = "spl/kstat/zfs"
    /// Each file, with the part that it contributes to the names of families.
    private static let files = [
        ("abd", "abdstats"), ("arc", "arcstats"), ("dbuf", "dbufstats"), ("dmu_tx", "dmu_tx"), ("dnode", "dnodestats"),
        ("fm", "fm"), ("vdev_cache", "vdev_cache_stats"), ("vdev_mirror", "vdev_mirror_stats"), ("xuio", "xuio_stats"),
        ("zfetch", "zfetchstats"), ("zil", "zil"),
    ]
    private static let states = ["online", "degraded", "faulted", "offline", "removed", "unavail", "suspended"]

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        guard let names = context.names(context.proc, in: Self.directory) else { return nil }
        var families = HostFamilies()
        for (part, file) in Self.files where names.contains(file) {
            for (name, value) in statistics(file, &context) { Self.add("zfs_\(part)_\(name)", [], value, &families) }
        }
        // Each pool is a directory.
        for pool in names where !Self.files.contains(where: { $0.1 == pool }) {
            guard let files = try? context.proc.names(in: "\(Self.directory)/\(pool)").sorted() else { continue }
            if files.contains("io") { addTransfers(of: pool, to: &families, &context) }
            if files.contains("state") { addState(of: pool, to: &families, &context) }
            for file in files where file.hasPrefix("objset-") {
                addDataset("\(pool)/\(file)", of: pool, to: &families, &context)
            }
        }
        return families.isEmpty ? nil : families
    }

    /// The numbers of a file: two lines of headings, then lines of a name, a type and a value.
    private func statistics(_ file: String, _ context: inout CollectionContext) -> [(name: String, value: Double)] {
        fields(file, &context).compactMap { fields in
            // Types 3 and 4 are signed and unsigned 64-bit numbers.
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
    private func addTransfers(of pool: String, to families: inout HostFamilies, _ context: inout CollectionContext) {
        let text = context.read(context.proc, "\(Self.directory)/\(pool)/io") { $0.string } ?? ""
        let lines = text.split(separator: "\n").map { $0.split(whereSeparator: \.isWhitespace) }
        guard lines.count >= 3, lines[1].count == lines[2].count else { return }
        for (name, value) in zip(lines[1], lines[2]) {
            Self.add("zfs_zpool_\(name)", ["zpool", pool], Self.number(value), &families)
        }
    }

    private func addState(of pool: String, to families: inout HostFamilies, _ context: inout CollectionContext) {
        let state = context.read(context.proc, "\(Self.directory)/\(pool)/state") { $0.trimmed.string.lowercased() }
        guard let state else { return }
        for name in Self.states {
            let labels = ["state", name, "zpool", pool]
            families.add("zfs_zpool_state", "Whether a pool is in a state.", labels: labels, name == state ? 1 : 0)
        }
    }

    private func addDataset(
        _ file: String,
        of pool: String,
        to families: inout HostFamilies,
        _ context: inout CollectionContext
    ) {
        let lines = fields(file, &context)
        guard let dataset = lines.first(where: { $0.first == "dataset_name" && $0.count == 3 })?[2] else { return }
        for fields in lines where fields.count == 3 && fields[1] == "4" {
            let labels = ["dataset", String(dataset), "zpool", pool]
            Self.add("zfs_zpool_dataset_\(fields[0])", labels, Self.number(fields[2]), &families)
        }
    }

    private static func number(_ text: Substring) -> Double? {
        UInt64(text).map { Double($0) } ?? Int64(text).map { Double($0) }
    }

    private static func add(_ name: String, _ labels: [String], _ value: Double?, _ families: inout HostFamilies) {
        // Characters that are invalid in a name, such as the dots of some pools' counters, become `_`.
        let clean = String(name.map { $0.isASCII && ($0.isLetter || $0.isNumber) ? $0 : "_" })
        families.add(clean, "The statistic \(clean.dropFirst(4)) of ZFS.", type: .unknown, labels: labels, value)
    }
}
