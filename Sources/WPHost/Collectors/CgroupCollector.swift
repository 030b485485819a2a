// SPDX-License-Identifier: MIT

/// The limits of this program's control group. In a container these are the container's limits, while the sample's
/// processors and memory are those of the machine.
package struct ControlGroup: Sendable, Hashable {
    /// The usable processors, possibly a fraction; nil for no limit.
    package internal(set) var cpus: Double?
    /// The usable memory in bytes; nil for no limit.
    package internal(set) var memoryLimit: UInt64?
    /// The used memory in bytes; nil if unknown.
    package internal(set) var memoryUsed: UInt64?
}

/// Reads the limits of version 2 control groups (Documentation/admin-guide/cgroup-v2.rst), or else of version 1. The
/// limits of parent groups also apply.
struct CgroupCollector: PlainCollector {
    static let name = "cgroup"

    /// In version 1, about 2^63 means no limit.
    private static let unlimited: UInt64 = 1 << 62

    mutating func collect(_ context: inout CollectionContext) -> ControlGroup? {
        guard let paths = context.read(context.proc, "self/cgroup", { Self.paths($0) }) else { return nil }
        let sys = context.sys
        var group = ControlGroup()
        for directory in Self.directories(["fs/cgroup", "fs/cgroup/unified"], paths[""]) {
            group.cpus = Self.least(group.cpus, Self.read(sys, directory + "/cpu.max") { Self.quota($0) })
            group.memoryLimit = Self.least(group.memoryLimit, Self.read(sys, directory + "/memory.max") { $0.unsigned })
            group.memoryUsed = group.memoryUsed ?? Self.read(sys, directory + "/memory.current") { $0.unsigned }
        }
        for directory in Self.directories(["fs/cgroup/cpu", "fs/cgroup/cpu,cpuacct"], paths["cpu"]) {
            let quota = Self.read(sys, directory + "/cpu.cfs_quota_us") { $0.unsigned }
            let period = Self.read(sys, directory + "/cpu.cfs_period_us") { $0.unsigned }
            guard let quota, let period, period > 0 else { continue }
            group.cpus = Self.least(group.cpus, Double(quota) / Double(period))
        }
        for directory in Self.directories(["fs/cgroup/memory"], paths["memory"]) {
            let limit = Self.read(sys, directory + "/memory.limit_in_bytes") { $0.unsigned }
            if let limit, limit < Self.unlimited { group.memoryLimit = Self.least(group.memoryLimit, limit) }
            group.memoryUsed = group.memoryUsed ?? Self.read(sys, directory + "/memory.usage_in_bytes") { $0.unsigned }
        }
        return group
    }

    /// The group's path by controller; version 2 has no controller name.
    private static func paths(_ bytes: Bytes) -> [String: String] {
        var paths: [String: String] = [:]
        for line in bytes.lines {
            var parts = ByteScanner(line)
            guard parts.prefix(upTo: UInt8(ascii: ":")) != nil, let names = parts.prefix(upTo: UInt8(ascii: ":")) else {
                continue
            }
            for name in names.string.split(separator: ",", omittingEmptySubsequences: false) {
                paths[String(name)] = parts.rest.trimmed.string
            }
        }
        return paths
    }

    /// The directories of a group and of all its ancestors. In a container the path may be the host's while the
    /// container's own group is mounted as the root, so the root is included.
    private static func directories(_ roots: [String], _ path: String?) -> [String] {
        guard let path else { return [] }
        let parts = path.split(separator: "/")
        return roots.flatMap { root in
            (0...parts.count).reversed().map { ([Substring(root)] + parts.prefix($0)).joined(separator: "/") }
        }
    }

    private static func quota(_ bytes: Bytes) -> Double? {
        var fields = ByteScanner(bytes)
        guard let quota = fields.unsigned(), let period = fields.unsigned(), period > 0 else { return nil }
        return Double(quota) / Double(period)
    }

    private static func read<Value>(_ sys: FileReader, _ file: String, _ body: (Bytes) -> Value?) -> Value? {
        (try? sys.read(file) { body($0.trimmed) }) ?? nil
    }

    private static func least<Value: Comparable>(_ one: Value?, _ other: Value?) -> Value? {
        guard let one, let other else { return one ?? other }
        return min(one, other)
    }
}
