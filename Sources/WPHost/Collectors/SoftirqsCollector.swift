// SPDX-License-Identifier: MIT

/// Reads how often each processor ran each kind of soft interrupt: `/proc/softirqs`.
struct SoftirqsCollector: PlainCollector {
    static let name = "softirqs"
    /// Disabled as in node_exporter, because it adds ten series per processor.
    static let isOnByDefault = false

    func collect(_ context: inout CollectionContext) -> HostFamilies? {
        var families = HostFamilies()
        var processors: [String]?
        let isRead = context.readLines(context.proc, "softirqs") { line in
            guard let processors else {
                // The heading names the processors: `CPU0 CPU1`.
                processors = line.fields.map { $0.dropping(3).string }
                return true
            }
            var fields = ByteScanner(line)
            guard let type = fields.prefix(upTo: UInt8(ascii: ":"))?.trimmed.string, !type.isEmpty else { return false }
            let counts = processors.map { _ in fields.unsigned() }
            for (processor, count) in zip(processors, counts) {
                let labels = ["cpu", processor, "type", type]
                families.add("softirqs_functions_total", "Soft interrupts by type.", labels: labels, count)
            }
            return !counts.contains(nil)
        }
        return isRead ? families : nil
    }
}
