// SPDX-License-Identifier: MIT

import WPMetrics

/// Reads the memory management counters selected by a pattern: `/proc/vmstat`.
struct VmstatCollector: HostCollector {
    static let name = "vmstat"

    private let filter: NameFilter

    init(_ configuration: HostConfiguration) {
        filter = NameFilter(configuration.includedVMStatFields)
    }

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        var families = HostFamilies()
        let isRead = context.readLines(context.proc, "vmstat") { line in
            var fields = ByteScanner(line)
            guard let name = fields.field()?.string, filter.matches(name) else { return true }
            guard let value = fields.unsigned() else { return false }
            families.add("vmstat_" + name, "The field \(name) of /proc/vmstat.", type: .unknown, value)
            return true
        }
        return isRead ? families : nil
    }
}
