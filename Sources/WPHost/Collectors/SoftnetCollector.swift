// SPDX-License-Identifier: MIT

/// Reads `/proc/net/softnet_stat`: one line per processor, in hexadecimal; newer kernels have more columns.
struct SoftnetCollector: PlainCollector {
    static let name = "softnet"

    private static let columns: [(index: Int, name: String, help: String)] = [
        (0, "processed_total", "Packets that a processor has taken from the network."),
        (1, "dropped_total", "Packets that were dropped because a processor's queue was full."),
        (2, "times_squeezed_total", "Times that a processor ran out of its quota of packets."),
        (8, "cpu_collision_total", "Collisions on the transmit lock."),
        (9, "received_rps_total", "Wake-ups to take packets for another processor."),
        (10, "flow_limit_count_total", "Times that the flow limit was reached."),
        (11, "backlog_len", "Packets in a processor's queue."),
    ]

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        var families = HostFamilies()
        var number = -1
        let isRead = context.readLines(context.network, "net/softnet_stat") { line in
            number += 1
            let fields = line.fields
            let counts = fields.compactMap(\.hexadecimal)
            guard counts.count >= 3, counts.count == fields.count else { return false }
            // Newer kernels include the processor's number, because offline processors have no line.
            let labels = ["cpu", counts.count > 12 ? String(counts[12]) : String(number)]
            for column in Self.columns where column.index < counts.count {
                families.add("softnet_" + column.name, column.help, labels: labels, counts[column.index])
            }
            return true
        }
        return isRead ? families : nil
    }
}
