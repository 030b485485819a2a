// SPDX-License-Identifier: MIT

/// Reads `/proc/net/sockstat` and `/proc/net/sockstat6`.
struct SockstatCollector: PlainCollector {
    static let name = "sockstat"

    private static let known = ["inuse", "orphan", "tw", "alloc", "mem", "memory"]

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        var families = HostFamilies()
        for file in ["net/sockstat", "net/sockstat6"] {
            _ = context.readLines(context.network, file) { $0.trimmed.isEmpty || Self.add($0, to: &families) }
        }
        // A kernel without IPv4 and IPv6 has neither file, and no sockets to count.
        return families
    }

    /// Adds a line such as `TCP: inuse 5 orphan 0 tw 0 alloc 7 mem 1`; false if the line is malformed.
    private static func add(_ line: Bytes, to families: inout HostFamilies) -> Bool {
        var fields = ByteScanner(line)
        guard let title = fields.prefix(upTo: UInt8(ascii: ":"))?.string, !title.isEmpty else { return false }
        var isValid = true
        while let key = fields.field()?.string {
            guard let number = fields.unsigned() else { return false }
            if title == "sockets" {
                guard key == "used" else { continue }
                families.add("sockstat_sockets_used", "Sockets that are in use.", Double(number))
                continue
            }
            guard known.contains(key) else { continue }
            let name = "sockstat_\(title)_\(key)"
            families.add(name, "Sockets of \(title): \(key).", Double(number))
            if key == "mem" {
                let (bytes, overflow) = number.multipliedReportingOverflow(by: SystemCalls.pageSize)
                families.add(name + "_bytes", "Memory of the sockets of \(title).", overflow ? nil : Double(bytes))
                isValid = isValid && !overflow
            }
        }
        return isValid
    }
}
