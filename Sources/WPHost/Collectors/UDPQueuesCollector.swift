// SPDX-License-Identifier: MIT

/// Reads the lengths of the queues of UDP sockets, in bytes: `/proc/net/udp` and `/proc/net/udp6`.
struct UDPQueuesCollector: PlainCollector {
    static let name = "udp_queues"

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        var families = HostFamilies()
        for (file, version) in [("net/udp", "v4"), ("net/udp6", "v6")] {
            var isValid = true
            let sums = context.read(context.network, file) { bytes -> (sent: UInt64, received: UInt64) in
                var sums = (sent: UInt64(0), received: UInt64(0))
                for line in bytes.lines.dropFirst() {
                    guard let (sent, received) = Self.queues(line), let allSent = sum(sums.sent, sent),
                        let allReceived = sum(sums.received, received)
                    else {
                        isValid = isValid && line.trimmed.isEmpty
                        continue
                    }
                    sums = (allSent, allReceived)
                }
                return sums
            }
            if !isValid { context.malformed(context.proc, file, "") }
            for (queue, value) in [("tx", sums?.sent), ("rx", sums?.received)] {
                families.add(
                    "udp_queues",
                    "Bytes in the queues of UDP sockets.",
                    labels: ["ip", version, "queue", queue],
                    isValid ? value : nil
                )
            }
        }
        return families.isEmpty ? nil : families
    }

    /// The fifth field of a line, `tx:rx`.
    private static func queues(_ line: Bytes) -> (UInt64, UInt64)? {
        let fields = line.fields
        guard fields.count > 4 else { return nil }
        var parts = ByteScanner(fields[4])
        guard let sent = parts.prefix(upTo: UInt8(ascii: ":"))?.hexadecimal, let received = parts.rest.hexadecimal
        else {
            return nil
        }
        return (sent, received)
    }
}
