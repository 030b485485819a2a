// SPDX-License-Identifier: MIT

/// Reads `/proc/net/sockstat` and `/proc/net/sockstat6`.
struct SocketCollector: TableCollector {
    static let name = HostCollectorName.sockstat

    private static let known = ["inuse", "orphan", "tw", "alloc", "mem", "memory"]

    mutating func collect(_ context: inout CollectionContext) -> [HostTable]? {
        var tables = HostTables()
        for file in ["net/sockstat", "net/sockstat6"] {
            var damaged: [String] = []
            _ = context.readNetwork(file) { bytes in
                var scanner = ByteScanner(bytes)
                while let line = scanner.line() {
                    if !line.trimmed.isEmpty, !Self.read(line, &tables) { damaged.append(line.string) }
                }
            }
            for line in damaged { context.malformed(context.proc, file, line) }
        }
        // A kernel without IPv4 and IPv6 has neither file, and no sockets to count.
        return tables.tables
    }

    /// Reads `TCP: inuse 5 orphan 0 tw 0 alloc 7 mem 1`; false when it is something else.
    private static func read(_ line: Bytes, _ tables: inout HostTables) -> Bool {
        var fields = ByteScanner(line)
        guard let title = fields.prefix(upTo: UInt8(ascii: ":"))?.string, !title.isEmpty else { return false }
        var isSound = true
        while let key = fields.field()?.string {
            guard let number = fields.unsigned() else { return false }
            if title == "sockets" {
                guard key == "used" else { continue }
                tables.add("sockstat_sockets_used", "Sockets that are in use.", Double(number))
                continue
            }
            guard known.contains(key) else { continue }
            let name = "sockstat_\(title)_\(key)"
            tables.add(name, "Sockets of \(title): \(key).", Double(number))
            if key == "mem" {
                let (bytes, overflow) = number.multipliedReportingOverflow(by: SystemCalls.pageSize)
                tables.add(name + "_bytes", "Memory of the sockets of \(title).", overflow ? nil : Double(bytes))
                isSound = isSound && !overflow
            }
        }
        return isSound
    }
}
