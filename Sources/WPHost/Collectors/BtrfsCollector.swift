// SPDX-License-Identifier: MIT

/// Reads the space usage of btrfs file systems: `/sys/fs/btrfs`.
struct BtrfsCollector: PlainCollector {
    static let name = "btrfs"

    private static let groups = ["data", "metadata", "system"]
    private static let profiles = [
        "single", "dup", "raid0", "raid1", "raid1c3", "raid1c4", "raid10", "raid5", "raid6",
    ]

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        guard let names = context.names(context.sys, in: "fs/btrfs") else { return HostFamilies() }
        // The directory contains other entries besides file systems, such as `features`.
        let systems = names.filter { $0.utf8.count == 36 && $0.contains("-") }
        var families = HostFamilies()
        for uuid in systems { add(uuid, to: &families, &context) }
        return families
    }

    private func add(_ uuid: String, to families: inout HostFamilies, _ context: inout CollectionContext) {
        let directory = "fs/btrfs/" + uuid
        let own = context.readAttributes(
            of: [uuid],
            in: "fs/btrfs",
            ["label", "allocation/global_rsv_size", "commit_stats"]
        )[0].values
        let labels = ["uuid", uuid]
        families.add("btrfs_info", "A btrfs file system.", labels: ["label", own[0] ?? ""] + labels, 1)
        let reserve = "Size of the global reserve."
        families.add("btrfs_global_rsv_size_bytes", reserve, labels: labels, own[1].flatMap { UInt64($0) })
        addCommits(own[2] ?? "", labels: labels, to: &families)
        let devices = context.names(context.sys, in: directory + "/devices") ?? []
        for (device, values) in context.readAttributes(of: devices, in: directory + "/devices", ["size"]) {
            let size = values[0].flatMap { UInt64($0) }.map { Double($0) * 512 }
            families.add("btrfs_device_size_bytes", "Size of a device.", labels: ["device", device] + labels, size)
        }
        for group in Self.groups {
            let allocation = "\(directory)/allocation"
            let files = ["bytes_reserved"] + Self.profiles.flatMap { ["\($0)/used_bytes", "\($0)/total_bytes"] }
            let values = context.readAttributes(of: [group], in: allocation, files)[0].values
                .map { $0.flatMap { UInt64($0) } }
            let type = ["block_group_type", group]
            families.add("btrfs_reserved_bytes", "Space that is reserved.", labels: type + labels, values[0])
            for (index, profile) in Self.profiles.enumerated() where values[index * 2 + 1] != nil {
                let labels = type + ["mode", profile] + labels
                families.add("btrfs_used_bytes", "Space that is used.", labels: labels, values[index * 2 + 1])
                families.add("btrfs_size_bytes", "Space that is allocated.", labels: labels, values[index * 2 + 2])
                let ratio = "Bytes on devices per byte of data."
                families.add("btrfs_allocation_ratio", ratio, labels: labels, Self.ratio(profile, devices.count))
            }
        }
    }

    /// Adds lines such as `total_commit_ms 47836090`, since Linux 6.1.
    private func addCommits(_ text: String, labels: [String], to families: inout HostFamilies) {
        for line in text.split(separator: "\n") {
            let fields = line.split(separator: " ")
            guard fields.count == 2, let value = UInt64(fields[1]).map({ Double($0) }) else { continue }
            switch fields[0] {
            case "commits":
                families.add("btrfs_commits_total", "Commits.", labels: labels, value)
            case "last_commit_ms":
                families.add("btrfs_last_commit_seconds", "Time of the last commit.", labels: labels, value / 1000)
            case "max_commit_ms":
                families.add("btrfs_max_commit_seconds", "Longest time of a commit.", labels: labels, value / 1000)
            case "total_commit_ms":
                families.add("btrfs_commit_seconds_total", "Time of all commits.", labels: labels, value / 1000)
            default: break
            }
        }
    }

    private static func ratio(_ profile: String, _ devices: Int) -> Double? {
        switch profile {
        case "single", "raid0": 1
        case "dup", "raid1", "raid10": 2
        case "raid1c3": 3
        case "raid1c4": 4
        case "raid5": devices > 1 ? Double(devices) / Double(devices - 1) : nil
        default: devices > 2 ? Double(devices) / Double(devices - 2) : nil
        }
    }
}
