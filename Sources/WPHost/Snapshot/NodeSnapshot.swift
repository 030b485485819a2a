// SPDX-License-Identifier: MIT

import WPCore

/// An agent's report of its node to a hub: a sample with rates and percentages, as JSON.
///
/// Encoded in the current format; also decoded from an older one, whose keys contain units (`total_bytes`,
/// `rx_bytes_ps`). An unknown value is absent, never 0.
public struct NodeSnapshot: Sendable, Hashable, Codable {
    /// The name by which the hub knows the node.
    package var nodeName: String
    /// When it was sampled by the node's clock, in RFC 3339.
    package var timestamp: String
    package var hostname: String?
    /// The distribution, such as `Debian GNU/Linux 12 (bookworm)`.
    package var os: String?
    /// The release of the kernel.
    package var kernel: String?
    /// Seconds since boot.
    package var uptime: Double?
    package var cpu: CPU?
    package var memory: Memory?
    package var disks: [Disk]
    package var networks: [Network]
    package var temperature: Temperature?
    /// By processor time, then by memory.
    package var processes: [Process]

    private enum CodingKeys: String, CodingKey {
        case nodeName = "node_name"
        case timestamp, hostname, os, kernel, uptime, cpu, memory, disks, networks, temperature, processes
    }

    private enum LegacyKeys: String, CodingKey {
        case processes = "top_processes"
    }

    /// Creates a snapshot without values.
    package init(nodeName: String, timestamp: String) {
        self.nodeName = nodeName
        self.timestamp = timestamp
        (disks, networks, processes) = ([], [], [])
    }

    /// Decodes either format.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        let older = try decoder.container(keyedBy: LegacyKeys.self)
        nodeName = try values.decode(String.self, forKey: .nodeName)
        timestamp = try values.decode(String.self, forKey: .timestamp)
        hostname = try values.decodeIfPresent(String.self, forKey: .hostname)
        os = try values.decodeIfPresent(String.self, forKey: .os)
        kernel = try values.decodeIfPresent(String.self, forKey: .kernel)
        uptime = try values.decodeIfPresent(Double.self, forKey: .uptime)
        cpu = try values.decodeIfPresent(CPU.self, forKey: .cpu)
        memory = try values.decodeIfPresent(Memory.self, forKey: .memory)
        disks = try values.decodeIfPresent([Disk].self, forKey: .disks) ?? []
        networks = try values.decodeIfPresent([Network].self, forKey: .networks) ?? []
        temperature = try values.decodeIfPresent(Temperature.self, forKey: .temperature)
        processes =
            try values.decodeIfPresent([Process].self, forKey: .processes)
            ?? older.decodeIfPresent([Process].self, forKey: .processes) ?? []
    }

    /// When it was sampled by the node's clock, in seconds since 1970; nil if ``timestamp`` is not RFC 3339.
    package var time: Double? { RFC3339.seconds(timestamp) }
}
