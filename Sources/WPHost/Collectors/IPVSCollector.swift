// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Reads the counters of IPVS, the kernel's load balancer: `/proc/net/ip_vs_stats` and `/proc/net/ip_vs`.
struct IPVSCollector: PlainCollector {
    static let name = "ipvs"

    private static let totals = [
        ("connections_total", "Connections that were made."), ("incoming_packets_total", "Packets received."),
        ("outgoing_packets_total", "Packets sent."), ("incoming_bytes_total", "Bytes received."),
        ("outgoing_bytes_total", "Bytes sent."),
    ]

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        guard let statistics = context.read(context.network, "net/ip_vs_stats", { $0.string }) else { return nil }
        var families = HostFamilies()
        // Two lines of headings, then the totals in hexadecimal.
        let lines = statistics.split(separator: "\n")
        let fields = lines.count > 2 ? lines[2].split(separator: " ").map { UInt64($0, radix: 16) } : []
        guard fields.count == Self.totals.count, !fields.contains(nil) else {
            context.malformed(context.proc, "net/ip_vs_stats", "")
            return nil
        }
        for (total, value) in zip(Self.totals, fields) {
            families.add("ipvs_" + total.0, total.1, value)
        }
        let services = context.read(context.network, "net/ip_vs", { $0.string }) ?? ""
        var local: [String]?
        for line in services.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard let first = fields.first, fields.count >= 2 else { continue }
            if ["TCP", "UDP", "SCTP"].contains(first) {
                local = Self.address(fields[1]).map { address in
                    [
                        "local_address", address.host, "local_mark", "", "local_port", address.port, "proto",
                        String(first),
                    ]
                }
            } else if first == "FWM" {
                local = ["local_address", "", "local_mark", String(fields[1]), "local_port", "0", "proto", "FWM"]
            } else if first == "->", fields[1] != "RemoteAddress:Port" {
                guard let local, fields.count >= 6, let remote = Self.address(fields[1]) else {
                    context.malformed(context.proc, "net/ip_vs", String(line))
                    continue
                }
                let labels = local + ["remote_address", remote.host, "remote_port", remote.port]
                let numbers = fields[3...5].map { UInt64($0) }
                families.add("ipvs_backend_weight", "Weight of a server.", labels: labels, numbers[0])
                let active = "Active connections to a server."
                families.add("ipvs_backend_connections_active", active, labels: labels, numbers[1])
                let inactive = "Inactive connections to a server."
                families.add("ipvs_backend_connections_inactive", inactive, labels: labels, numbers[2])
            }
        }
        return families
    }

    /// Parses `C0A80016:0CEA`, or an IPv6 address in brackets with a port.
    private static func address(_ text: Substring) -> (host: String, port: String)? {
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...], radix: 16)
        else {
            return nil
        }
        let host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            var address = in6_addr()
            var buffer = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
            guard inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &address) == 1,
                inet_ntop(AF_INET6, &address, &buffer, socklen_t(buffer.count)) != nil
            else { return nil }
            let text = buffer.withUnsafeBufferPointer { $0.baseAddress.map { KernelText.string($0) } }
            return text.map { ($0, String(port)) }
        }
        guard host.utf8.count == 8, let value = UInt32(host, radix: 16) else { return nil }
        let parts = [24, 16, 8, 0].map { String(value >> UInt32($0) & 0xFF) }
        return (parts.joined(separator: "."), String(port))
    }
}
