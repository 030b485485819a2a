// SPDX-License-Identifier: MIT

/// Reads the number of tasks that the kernel found hung: `/proc/sys/kernel/hung_task_detect_count`, since Linux 6.13.
struct KernelHungCollector: PlainCollector {
    static let name = "kernel_hung"

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        guard let count = context.readNumber("sys/kernel/hung_task_detect_count") else { return nil }
        var families = HostFamilies()
        families.add("kernel_hung_tasks_total", "Tasks that the kernel found hung since it was started.", Double(count))
        return families
    }
}
