// SPDX-License-Identifier: MIT

/// Reads `/proc/net/softnet_stat`: one line per processor, in hexadecimal, to which kernels have added columns.
struct PacketQueueCollector: TableCollector {
    static let name = HostCollectorName.softnet

    private static let columns: [(index: Int, name: String, help: String, kind: HostTable.Kind)] = [
        (0, "processed_total", "Packets that a processor has taken from the network.", .counter),
        (1, "dropped_total", "Packets that were dropped because a processor's queue was full.", .counter),
        (2, "times_squeezed_total", "Times that a processor ran out of its quota of packets.", .counter),
        (8, "cpu_collision_total", "Collisions when a lock was taken to send.", .counter),
        (9, "received_rps_total", "Wake-ups to take packets for another processor.", .counter),
        (10, "flow_limit_count_total", "Times that the limit of a flow was reached.", .counter),
        (11, "backlog_len", "Packets in a processor's queue.", .gauge),
    ]

    mutating func collect(_ context: inout CollectionContext) -> [HostTable]? {
        var damaged: [String] = []
        var tables = HostTables()
        let isRead: Void? = context.readNetwork("net/softnet_stat") { bytes in
            var scanner = ByteScanner(bytes)
            var line = 0
            while let text = scanner.line() {
                var fields = ByteScanner(text)
                var numbers: [UInt64] = []
                var isSound = true
                while let field = fields.field() {
                    guard let number = field.hexadecimal else {
                        isSound = false
                        break
                    }
                    numbers.append(number)
                }
                guard isSound, numbers.count >= 3 else {
                    damaged.append(text.string)
                    line += 1
                    continue
                }
                // Newer kernels say which processor it is: those that are offline have no line.
                let labels = ["cpu", numbers.count > 12 ? String(numbers[12]) : String(line)]
                for column in Self.columns where column.index < numbers.count {
                    tables.add(
                        "softnet_" + column.name,
                        column.help,
                        kind: column.kind,
                        labels: labels,
                        Double(numbers[column.index])
                    )
                }
                line += 1
            }
        }
        for line in damaged { context.malformed(context.proc, "net/softnet_stat", line) }
        return isRead.map { tables.tables }
    }
}

/// Reads the queues of UDP sockets, in bytes: `/proc/net/udp` and `/proc/net/udp6`.
struct DatagramQueueCollector: TableCollector {
    static let name = HostCollectorName.udpQueues

    mutating func collect(_ context: inout CollectionContext) -> [HostTable]? {
        var tables = HostTables()
        for (file, version) in [("net/udp", "v4"), ("net/udp6", "v6")] {
            var isSound = true
            let sums = context.readNetwork(file) { bytes -> (sent: UInt64, received: UInt64) in
                var sums = (sent: UInt64(0), received: UInt64(0))
                var scanner = ByteScanner(bytes)
                _ = scanner.line()
                while let line = scanner.line() {
                    guard let (sent, received) = Self.queues(line), let allSent = sum(sums.sent, sent),
                        let allReceived = sum(sums.received, received)
                    else {
                        isSound = isSound && line.trimmed.isEmpty
                        continue
                    }
                    sums = (allSent, allReceived)
                }
                return sums
            }
            if !isSound { context.malformed(context.proc, file, "") }
            for (queue, value) in [("tx", sums?.sent), ("rx", sums?.received)] {
                tables.add(
                    "udp_queues",
                    "Bytes in the queues of UDP sockets.",
                    labels: ["ip", version, "queue", queue],
                    isSound ? value.map { Double($0) } : nil
                )
            }
        }
        return tables.tables.isEmpty ? nil : tables.tables
    }

    /// The fifth field of a line, `tx:rx`.
    private static func queues(_ line: Bytes) -> (UInt64, UInt64)? {
        var fields = ByteScanner(line)
        for _ in 0..<4 where fields.field() == nil { return nil }
        guard let field = fields.field() else { return nil }
        var parts = ByteScanner(field)
        guard let sent = parts.prefix(upTo: UInt8(ascii: ":"))?.hexadecimal, let received = parts.rest.hexadecimal
        else {
            return nil
        }
        return (sent, received)
    }
}

/// Counts neighbours by interface: `/proc/net/arp`.
struct NeighbourCollector: TableCollector {
    static let name = HostCollectorName.arp

    private var excluded: NameFilter

    init(_ excluded: NameFilter = NameFilter(nil)) {
        self.excluded = excluded
    }

    mutating func collect(_ context: inout CollectionContext) -> [HostTable]? {
        var damaged: [String] = []
        let counts = context.readNetwork("net/arp") { bytes -> [ExactText: Double] in
            var counts: [ExactText: Double] = [:]
            var scanner = ByteScanner(bytes)
            _ = scanner.line()
            while let line = scanner.line() {
                var fields = ByteScanner(line)
                var count = 0
                var last: Bytes?
                while let field = fields.field() { (count, last) = (count + 1, field) }
                if let last, count >= 6 {
                    counts[ExactText(last.string), default: 0] += 1
                } else if count > 0 {
                    damaged.append(line.string)
                }
            }
            return counts
        }
        for line in damaged { context.malformed(context.proc, "net/arp", line) }
        guard let counts else { return nil }
        var tables = HostTables()
        for (device, count) in counts.sorted(by: { $0.key.text < $1.key.text }) where !excluded.matches(device.text) {
            tables.add("arp_entries", "Neighbours of an interface.", labels: ["device", device.text], count)
        }
        return tables.tables
    }
}

/// Reads `/proc/schedstat` (Documentation/scheduler/sched-stats.rst), in nanoseconds.
struct SchedulerCollector: TableCollector {
    static let name = HostCollectorName.schedstat

    mutating func collect(_ context: inout CollectionContext) -> [HostTable]? {
        var damaged: [String] = []
        var tables = HostTables()
        let isRead: Void? = context.read(context.proc, "schedstat") { bytes in
            var scanner = ByteScanner(bytes)
            while let line = scanner.line() {
                guard line.hasPrefix("cpu") else { continue }
                var fields = ByteScanner(line.dropping(3))
                guard let cpu = fields.field(), cpu.unsigned != nil else {
                    damaged.append(line.string)
                    continue
                }
                for _ in 0..<6 { _ = fields.field() }
                guard let running = fields.unsigned(), let waiting = fields.unsigned(), let slices = fields.unsigned()
                else {
                    damaged.append(line.string)
                    continue
                }
                let labels = ["cpu", cpu.string]
                tables.add(
                    "schedstat_running_seconds_total",
                    "Time that tasks ran on a processor.",
                    kind: .counter,
                    labels: labels,
                    Double(running) / 1e9
                )
                tables.add(
                    "schedstat_waiting_seconds_total",
                    "Time that tasks waited for a processor.",
                    kind: .counter,
                    labels: labels,
                    Double(waiting) / 1e9
                )
                tables.add(
                    "schedstat_timeslices_total",
                    "Slices of time that tasks had on a processor.",
                    kind: .counter,
                    labels: labels,
                    Double(slices)
                )
            }
        }
        for line in damaged { context.malformed(context.proc, "schedstat", line) }
        return isRead.map { tables.tables }
    }
}
