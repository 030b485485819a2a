// SPDX-License-Identifier: MIT

/// How long tasks waited for a resource (Documentation/accounting/psi.rst), in microseconds since boot.
package struct PressureSample: Sendable, Hashable {
    /// One resource.
    package struct Resource: Sendable, Hashable {
        /// Some tasks waited.
        package let some: UInt64?
        /// All tasks that were not idle waited.
        package let full: UInt64?
    }

    package var cpu, io, memory, irq: Resource?
}

/// Reads `/proc/pressure`.
struct PressureCollector: HostCollector {
    static let name = HostCollectorName.pressure
    static let part: HostPart<PressureSample> = \.pressure

    mutating func collect(_ context: inout CollectionContext) -> PressureSample? {
        let sample = PressureSample(
            cpu: resource("cpu", &context),
            io: resource("io", &context),
            memory: resource("memory", &context),
            irq: resource("irq", &context)
        )
        return sample == PressureSample() ? nil : sample
    }

    private func resource(_ name: String, _ context: inout CollectionContext) -> PressureSample.Resource? {
        let file = "pressure/\(name)"
        let resource: (PressureSample.Resource, [String])
        do {
            resource = try context.proc.read(file) { Self.resource($0) }
        } catch {
            // A kernel may have it compiled in and switched off.
            if !error.isAbsence, !error.reason.isUnsupported { context.faults.append(error) }
            return nil
        }
        for line in resource.1 { context.malformed(context.proc, file, line) }
        return resource.0
    }

    private static func resource(_ bytes: Bytes) -> (PressureSample.Resource, [String]) {
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
        return (PressureSample.Resource(some: some, full: full), damaged)
    }
}
