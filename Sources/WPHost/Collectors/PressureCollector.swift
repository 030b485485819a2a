// SPDX-License-Identifier: MIT

/// Reads the time that tasks waited for resources (Documentation/accounting/psi.rst): `/proc/pressure`.
struct PressureCollector: PlainCollector {
    static let name = "pressure"

    /// The file and line of each family. `some` is the time in which at least one task waited, `full` the time in which
    /// all non-idle tasks waited.
    private static let families = [
        ("cpu", "some", "cpu_waiting", "Time that processes waited for a processor."),
        ("io", "some", "io_waiting", "Time that processes waited for a device."),
        ("io", "full", "io_stalled", "Time in which all non-idle processes waited for a device."),
        ("memory", "some", "memory_waiting", "Time that processes waited for memory."),
        ("memory", "full", "memory_stalled", "Time in which all non-idle processes waited for memory."),
        ("irq", "full", "irq_stalled", "Time in which all non-idle processes waited for interrupts."),
    ]

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        var totals: [String: [String: UInt64]] = [:]
        for resource in ["cpu", "io", "memory", "irq"] { totals[resource] = self.totals(of: resource, &context) }
        guard !totals.isEmpty else { return nil }
        var families = HostFamilies()
        for (resource, line, name, help) in Self.families {
            let seconds = totals[resource]?[line].map { Double($0) / 1e6 }
            families.add("pressure_\(name)_seconds_total", help, seconds)
        }
        return families
    }

    /// The microseconds since boot by line; nil if the kernel does not count them.
    private func totals(of resource: String, _ context: inout CollectionContext) -> [String: UInt64]? {
        let file = "pressure/\(resource)"
        let text: String
        do {
            text = try context.proc.read(file) { $0.string }
        } catch {
            // Pressure accounting may be compiled into the kernel but disabled.
            if !error.isAbsence, !error.reason.isUnsupported { context.faults.append(error) }
            return nil
        }
        var totals: [String: UInt64] = [:]
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ")
            let total = fields.last { $0.hasPrefix("total=") }.flatMap { UInt64($0.dropFirst(6)) }
            guard let kind = fields.first, kind == "some" || kind == "full", let total else {
                context.malformed(context.proc, file, String(line))
                continue
            }
            totals[String(kind)] = total
        }
        return totals
    }
}
