// SPDX-License-Identifier: MIT

/// Reads multipath devices: `/sys/block/dm-*` whose UUID begins with `mpath-`.
struct DMMultipathCollector: PlainCollector {
    static let name = "dmmultipath"

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        guard let names = context.names(context.sys, in: "block") else { return nil }
        let files = ["dm/uuid", "dm/name", "dm/suspended", "size"]
        var families = HostFamilies()
        for (device, values) in context.readAttributes(of: names.numbered("dm-"), in: "block", files) {
            guard let uuid = values[0], uuid.hasPrefix("mpath-") else { continue }
            let name = values[1] ?? device
            let labels = ["device", name, "sysfs_name", device]
            func add(_ name: String, _ help: String, _ labels: [String], _ value: Double?) {
                families.add("dmmultipath_" + name, help, labels: labels, value)
            }
            add("device_info", "A device that is reached by several paths.", labels + ["uuid", uuid], 1)
            add("device_active", "Whether the device is not suspended.", labels, values[2].map { $0 == "0" ? 1 : 0 })
            let sectors = values[3].flatMap { UInt64($0) }
            add("device_size_bytes", "Size of the device.", labels, sectors.map { Double($0) * 512 })
            let paths = context.names(context.sys, in: "block/\(device)/slaves") ?? []
            let states = context.readAttributes(of: paths, in: "block", ["device/state"])
            let active = states.count { $0.values[0] == "running" || $0.values[0] == "live" }
            add("device_paths", "Paths of the device.", labels, Double(paths.count))
            add("device_paths_active", "Paths that can be used.", labels, Double(active))
            add("device_paths_failed", "Paths that cannot be used.", labels, Double(paths.count - active))
            for (path, values) in states {
                let labels = ["device", name, "path", path, "state", values[0] ?? "unknown"]
                add("path_state", "The state of a path.", labels, 1)
            }
        }
        return families.isEmpty ? nil : families
    }
}
