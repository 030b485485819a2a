// SPDX-License-Identifier: MIT

/// Reads the counters of tape drives (Documentation/scsi/st.rst): `/sys/class/scsi_tape/st*/stats`.
struct TapestatsCollector: HostCollector {
    static let name = "tapestats"

    private static let files = [
        NumberFile("stats/in_flight", "io_now", "Requests that are in flight."),
        NumberFile("stats/io_ns", "io_time_seconds_total", "Time of all requests.", divisor: 1e9),
        NumberFile("stats/other_cnt", "io_others_total", "Requests that are neither reads nor writes."),
        NumberFile("stats/read_byte_cnt", "read_bytes_total", "Bytes that were read."),
        NumberFile("stats/read_cnt", "reads_completed_total", "Reads that were completed."),
        NumberFile("stats/read_ns", "read_time_seconds_total", "Time of all reads.", divisor: 1e9),
        NumberFile("stats/write_byte_cnt", "written_bytes_total", "Bytes that were written."),
        NumberFile("stats/write_cnt", "writes_completed_total", "Writes that were completed."),
        NumberFile("stats/write_ns", "write_time_seconds_total", "Time of all writes.", divisor: 1e9),
        NumberFile("stats/resid_cnt", "residual_total", "Requests that transferred less than was asked for."),
    ]
    private let excluded: NameFilter

    init(_ configuration: HostConfiguration) {
        excluded = NameFilter(configuration.excludedTapes)
    }

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        let directory = "class/scsi_tape"
        guard let names = context.names(context.sys, in: directory) else { return nil }
        // `nst0` and the like are other modes of the same drive.
        let drives = names.numbered("st").filter { !excluded.matches($0) }
        var families = HostFamilies()
        for (drive, values) in context.readAttributes(of: drives, in: directory, Self.files.map(\.file)) {
            families.add(Self.files, prefix: "tape_", contents: values, labels: ["device", drive])
        }
        return families.isEmpty ? nil : families
    }
}
