// SPDX-License-Identifier: MIT

/// Reads the counters of tape drives (Documentation/scsi/st.rst): `/sys/class/scsi_tape/st*/stats`.
struct TapeCollector: TableCollector {
    static let name = HostCollectorName.tapestats

    private static let files: [(file: String, name: String, help: String, divisor: Double)] = [
        ("in_flight", "io_now", "Requests that are in flight.", 1),
        ("io_ns", "io_time_seconds_total", "Time of all requests.", 1e9),
        ("other_cnt", "io_others_total", "Requests that neither read nor write.", 1),
        ("read_byte_cnt", "read_bytes_total", "Bytes that were read.", 1),
        ("read_cnt", "reads_completed_total", "Reads that were completed.", 1),
        ("read_ns", "read_time_seconds_total", "Time of all reads.", 1e9),
        ("write_byte_cnt", "written_bytes_total", "Bytes that were written.", 1),
        ("write_cnt", "writes_completed_total", "Writes that were completed.", 1),
        ("write_ns", "write_time_seconds_total", "Time of all writes.", 1e9),
        ("resid_cnt", "residual_total", "Requests that transferred less than was asked for.", 1),
    ]
    private var excluded: NameFilter

    init(_ excluded: NameFilter = NameFilter(nil)) {
        self.excluded = excluded
    }

    mutating func collect(_ context: inout CollectionContext) -> [HostTable]? {
        let directory = "class/scsi_tape"
        guard let names = context.names(context.sys, in: directory) else { return nil }
        // `nst0` and the like are other modes of the same drive.
        let drives = names.numbered("st").filter { !excluded.matches($0) }
        var tables = HostTables()
        for (drive, values) in context.readAttributes(of: drives, in: directory, Self.files.map { "stats/" + $0.file })
        {
            for (file, value) in zip(Self.files, values) {
                tables.add(
                    "tape_" + file.name,
                    file.help,
                    kind: file.name.hasSuffix("_total") ? .counter : .gauge,
                    labels: ["device", drive],
                    value.flatMap { UInt64($0) }.map { Double($0) / file.divisor }
                )
            }
        }
        return tables.tables.isEmpty ? nil : tables.tables
    }
}
