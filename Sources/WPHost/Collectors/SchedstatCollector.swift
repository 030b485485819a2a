// SPDX-License-Identifier: MIT

/// Reads `/proc/schedstat` (Documentation/scheduler/sched-stats.rst), in nanoseconds.
struct SchedstatCollector: PlainCollector {
    static let name = "schedstat"

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        var families = HostFamilies()
        let isRead = context.readLines(context.proc, "schedstat") { line in
            guard line.hasPrefix("cpu") else { return true }
            var fields = ByteScanner(line.dropping(3))
            guard let cpu = fields.field(), cpu.unsigned != nil else { return false }
            for _ in 0..<6 { _ = fields.field() }
            guard let running = fields.unsigned(), let waiting = fields.unsigned(), let slices = fields.unsigned()
            else { return false }
            func add(_ name: String, _ help: String, _ value: Double) {
                families.add("schedstat_" + name, help, labels: ["cpu", cpu.string], value)
            }
            add("running_seconds_total", "Time that tasks ran on a processor.", Double(running) / 1e9)
            add("waiting_seconds_total", "Time that tasks waited for a processor.", Double(waiting) / 1e9)
            add("timeslices_total", "Time slices that tasks ran on a processor.", Double(slices))
            return true
        }
        return isRead ? families : nil
    }
}
