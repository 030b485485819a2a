// SPDX-License-Identifier: MIT

/// Reads how many tasks the kernel found hung: `/proc/sys/kernel/hung_task_detect_count`, since Linux 6.13.
struct HungTaskCollector: TableCollector {
    static let name = HostCollectorName.kernelHung

    mutating func collect(_ context: inout CollectionContext) -> [HostTable]? {
        guard let count = context.readNumber("sys/kernel/hung_task_detect_count") else { return nil }
        var tables = HostTables()
        tables.add(
            "kernel_hung_tasks_total",
            "Tasks that the kernel found hung since it was started.",
            kind: .counter,
            Double(count)
        )
        return tables.tables
    }
}
