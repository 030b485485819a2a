// SPDX-License-Identifier: MIT

/// System-wide kernel counters.
package struct KernelCounters: Sendable, Hashable {
    /// The boot time in seconds since 1970.
    package var bootTime: UInt64?
    package var contextSwitches: UInt64?
    package var forks: UInt64?
    package var interrupts: UInt64?
    /// Runnable processes, and processes that wait for a device.
    package var running, blocked: UInt64?
}

/// Reads the lines of `/proc/stat` that do not concern a processor.
struct StatCollector: PlainCollector {
    static let name = "stat"

    private static func field(_ name: Bytes) -> WritableKeyPath<KernelCounters, UInt64?>? {
        switch name.string {
        case "btime": \.bootTime
        case "ctxt": \.contextSwitches
        case "processes": \.forks
        case "intr": \.interrupts
        case "procs_running": \.running
        case "procs_blocked": \.blocked
        default: nil
        }
    }

    mutating func collect(_ context: inout CollectionContext) -> KernelCounters? {
        var counters = KernelCounters()
        let isRead = context.readLines(context.proc, "stat") { line in
            var fields = ByteScanner(line)
            guard let name = fields.field(), !name.hasPrefix("cpu"), let field = Self.field(name) else { return true }
            counters[keyPath: field] = fields.unsigned()
            return counters[keyPath: field] != nil
        }
        return isRead ? counters : nil
    }

    static func addFamilies(of counters: KernelCounters, to families: inout HostFamilies) {
        families.add("boot_time_seconds", "Start of the system in seconds since 1970.", counters.bootTime)
        families.add("context_switches_total", "Context switches.", counters.contextSwitches)
        families.add("forks_total", "Processes and threads that were started.", counters.forks)
        families.add("intr_total", "Interrupts that were serviced.", counters.interrupts)
        families.add("procs_running", "Processes that can run.", counters.running)
        families.add("procs_blocked", "Processes that wait for a device.", counters.blocked)
    }
}

extension HostSample {
    /// Counters of the kernel.
    package var kernel: KernelCounters? { self[StatCollector.self] }
}
