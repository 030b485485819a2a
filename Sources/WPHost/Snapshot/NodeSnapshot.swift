// SPDX-License-Identifier: MIT

import WPCore

/// An agent's report of its node to a hub: a sample with rates and percentages, as JSON.
///
/// It is encoded in the current format, and decoded from this one or an older one, whose keys contain units
/// (`total_bytes`, `rx_bytes_ps`). An unknown value is absent, never 0.
public struct NodeSnapshot: Sendable, Hashable, Codable, SnapshotObject {
    /// The name by which the hub knows the node.
    package var nodeName = ""
    /// When it was sampled by the node's clock, in RFC 3339.
    package var timestamp = ""
    package var hostname: String?
    /// The distribution, such as `Debian GNU/Linux 12 (bookworm)`.
    package var os: String?
    /// The release of the kernel.
    package var kernel: String?
    /// Seconds since boot.
    package var uptime: Double?
    package var cpu: CPU?
    package var memory: Memory?
    package var disks: [Disk] = []
    package var networks: [Network] = []
    package var temperature: Temperature?
    /// Sorted by processor time, then by memory.
    package var processes: [Process] = []

    static let fields: [SnapshotField<NodeSnapshot>] = [
        .init(required: "node_name", \.nodeName), .init(required: "timestamp", \.timestamp),
        .init("hostname", \.hostname), .init("os", \.os), .init("kernel", \.kernel), .init("uptime", \.uptime),
        .init("cpu", \.cpu), .init("memory", \.memory), .init(always: "disks", \.disks),
        .init(always: "networks", \.networks), .init("temperature", \.temperature),
        .init(always: "processes", older: "top_processes", \.processes),
    ]

    init() {}

    /// Creates a snapshot without values.
    package init(nodeName: String, timestamp: String) {
        (self.nodeName, self.timestamp) = (nodeName, timestamp)
    }

    /// When it was sampled by the node's clock, in seconds since 1970; nil if ``timestamp`` is not RFC 3339.
    package var time: Double? { RFC3339.seconds(timestamp) }
}
