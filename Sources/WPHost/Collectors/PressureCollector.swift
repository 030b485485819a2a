// SPDX-License-Identifier: MIT

/// Reads how long tasks waited for a resource (Documentation/accounting/psi.rst): `/proc/pressure`.
struct PressureCollector: PlainCollector {
    static let name = "pressure"

    /// The microseconds since boot that some tasks, and all tasks that were not idle, waited for a resource.
    private typealias Resource = (some: UInt64?, full: UInt64?)

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        let (cpu, io) = (resource("cpu", &context), resource("io", &context))
        let (memory, irq) = (resource("memory", &context), resource("irq", &context))
        var families = HostFamilies()
        func add(_ name: String, _ help: String, _ microseconds: UInt64?) {
            families.add("pressure_\(name)_seconds_total", help, microseconds.map { Double($0) / 1e6 })
        }
        add("cpu_waiting", "Time that processes waited for a processor.", cpu?.some)
        add("io_waiting", "Time that processes waited for a device.", io?.some)
        add("io_stalled", "Time in which no process went on for lack of a device.", io?.full)
        add("memory_waiting", "Time that processes waited for memory.", memory?.some)
        add("memory_stalled", "Time in which no process went on for lack of memory.", memory?.full)
        add("irq_stalled", "Time in which no process went on for interrupts.", irq?.full)
        return cpu == nil && io == nil && memory == nil && irq == nil ? nil : families
    }

    private func resource(_ name: String, _ context: inout CollectionContext) -> Resource? {
        let file = "pressure/\(name)"
        let resource: (Resource, [String])
        do {
            resource = try context.proc.read(file) { Self.resource($0) }
        } catch {
            // It may be compiled into the kernel but switched off.
            if !error.isAbsence, !error.reason.isUnsupported { context.faults.append(error) }
            return nil
        }
        for line in resource.1 { context.malformed(context.proc, file, line) }
        return resource.0
    }

    private static func resource(_ bytes: Bytes) -> (Resource, [String]) {
        var some: UInt64?
        var full: UInt64?
        var damaged: [String] = []
        var scanner = ByteScanner(bytes)
        while let line = scanner.line() {
            var fields = ByteScanner(line)
            let kind = fields.field()
            var total: UInt64?
            while let field = fields.field() {
                if field.hasPrefix("total=") { total = field.dropping(6).unsigned }
            }
            if let total, let kind, kind.equals("some") {
                some = total
            } else if let total, let kind, kind.equals("full") {
                full = total
            } else {
                damaged.append(line.string)
            }
        }
        return ((some, full), damaged)
    }
}
