// SPDX-License-Identifier: MIT

/// Counters of the kernel as a whole.
package struct KernelCounters: Sendable, Hashable {
    /// When the system was started, in seconds since 1970.
    package var bootTime: UInt64?
    package var contextSwitches: UInt64?
    package var forks: UInt64?
    package var interrupts: UInt64?
    /// Processes that can run, and those that wait for a device.
    package var running, blocked: UInt64?
}

/// Reads the lines of `/proc/stat` that are not about a processor.
struct KernelCollector: HostCollector {
    static let name = HostCollectorName.stat
    static let part: HostPart<KernelCounters> = \.kernel

    mutating func collect(_ context: inout CollectionContext) -> KernelCounters? {
        var counters = KernelCounters()
        var damaged: [String] = []
        let isRead: Void? = context.read(context.proc, "stat") { bytes in
            var scanner = ByteScanner(bytes)
            while let line = scanner.line() {
                let field: WritableKeyPath<KernelCounters, UInt64?>
                var fields = ByteScanner(line)
                guard let name = fields.field(), !name.hasPrefix("cpu") else { continue }
                if name.equals("btime") {
                    field = \.bootTime
                } else if name.equals("ctxt") {
                    field = \.contextSwitches
                } else if name.equals("processes") {
                    field = \.forks
                } else if name.equals("intr") {
                    field = \.interrupts
                } else if name.equals("procs_running") {
                    field = \.running
                } else if name.equals("procs_blocked") {
                    field = \.blocked
                } else {
                    continue
                }
                counters[keyPath: field] = fields.unsigned()
                if counters[keyPath: field] == nil { damaged.append(line.string) }
            }
        }
        for line in damaged { context.malformed(context.proc, "stat", line) }
        return isRead.map { counters }
    }
}

/// How many processes ran or waited for a device, on average.
public struct LoadAverages: Sendable, Hashable {
    /// Over one minute.
    public let one: Double
    /// Over five minutes.
    public let five: Double
    /// Over fifteen minutes.
    public let fifteen: Double
}

/// Reads `/proc/loadavg`.
struct LoadCollector: HostCollector {
    static let name = HostCollectorName.loadavg
    static let part: HostPart<LoadAverages> = \.load

    mutating func collect(_ context: inout CollectionContext) -> LoadAverages? {
        let text = context.read(context.proc, "loadavg") { bytes -> (LoadAverages?, String) in
            var fields = ByteScanner(bytes)
            guard let one = fields.field()?.decimal, let five = fields.field()?.decimal,
                let fifteen = fields.field()?.decimal
            else { return (nil, bytes.trimmed.string) }
            return (LoadAverages(one: one, five: five, fifteen: fifteen), "")
        }
        #if canImport(Darwin)
        if text == nil { return SystemCalls.load }
        #endif
        guard let (load, line) = text else { return nil }
        if load == nil { context.malformed(context.proc, "loadavg", line) }
        return load
    }
}

/// Open files of the whole system.
package struct FileHandles: Sendable, Hashable {
    package let allocated, maximum: UInt64
}

/// Reads `/proc/sys/fs/file-nr`.
struct FileHandleCollector: HostCollector {
    static let name = HostCollectorName.filefd
    static let part: HostPart<FileHandles> = \.files

    mutating func collect(_ context: inout CollectionContext) -> FileHandles? {
        let handles = context.read(context.proc, "sys/fs/file-nr") { bytes -> FileHandles? in
            var fields = ByteScanner(bytes)
            guard let allocated = fields.unsigned(), fields.unsigned() != nil, let maximum = fields.unsigned() else {
                return nil
            }
            return FileHandles(allocated: allocated, maximum: maximum)
        }
        if case .some(.none) = handles { context.malformed(context.proc, "sys/fs/file-nr", "") }
        return handles ?? nil
    }
}

/// Connections that the packet filter tracks.
package struct TrackedConnections: Sendable, Hashable {
    package let entries: UInt64?
    package let limit: UInt64?
    /// What has become of packets, over all processors; empty where the kernel does not count it.
    package let counters: [NamedCounter]
}

/// Reads `/proc/sys/net/netfilter/nf_conntrack_count` and `…_max`, and `/proc/net/stat/nf_conntrack`.
struct ConntrackCollector: HostCollector {
    static let name = HostCollectorName.conntrack
    static let part: HostPart<TrackedConnections> = \.conntrack

    mutating func collect(_ context: inout CollectionContext) -> TrackedConnections? {
        let entries = context.readNumber("sys/net/netfilter/nf_conntrack_count")
        let limit = context.readNumber("sys/net/netfilter/nf_conntrack_max")
        guard entries != nil || limit != nil else { return nil }
        return TrackedConnections(entries: entries, limit: limit, counters: counters(&context))
    }

    private static let columns = [
        "found", "invalid", "ignore", "insert", "insert_failed", "drop", "early_drop", "search_restart",
    ]

    /// One line of headings, and one per processor, in hexadecimal. Which columns there are depends on the kernel.
    private func counters(_ context: inout CollectionContext) -> [NamedCounter] {
        var isSound = true
        let counters = context.readNetwork("net/stat/nf_conntrack") { bytes -> [NamedCounter] in
            var scanner = ByteScanner(bytes)
            guard let line = scanner.line() else { return [] }
            var headings = ByteScanner(line)
            var names: [String] = []
            while let heading = headings.field() { names.append(heading.string) }
            var sums = [UInt64](repeating: 0, count: names.count)
            while let line = scanner.line() {
                var fields = ByteScanner(line)
                for index in names.indices {
                    guard let value = fields.field()?.hexadecimal, let total = sum(sums[index], value) else {
                        isSound = false
                        return []
                    }
                    sums[index] = total
                }
            }
            return zip(names, sums).filter { Self.columns.contains($0.0) }.map { NamedCounter(name: $0, value: $1) }
        }
        if !isSound { context.malformed(context.proc, "net/stat/nf_conntrack", "") }
        return counters ?? []
    }
}

/// The kernel's random pool, in bits.
package struct EntropyPool: Sendable, Hashable {
    package let available: UInt64?
    package let size: UInt64?
}

/// Reads `/proc/sys/kernel/random`.
struct EntropyCollector: HostCollector {
    static let name = HostCollectorName.entropy
    static let part: HostPart<EntropyPool> = \.entropy

    mutating func collect(_ context: inout CollectionContext) -> EntropyPool? {
        let available = context.readNumber("sys/kernel/random/entropy_avail")
        let size = context.readNumber("sys/kernel/random/poolsize")
        return available == nil && size == nil ? nil : EntropyPool(available: available, size: size)
    }
}

/// Reads the fields of `/proc/vmstat` that a pattern names.
struct VMStatCollector: HostCollector {
    static let name = HostCollectorName.vmstat
    static let part: HostPart<[NamedCounter]> = \.vmstat

    private var filter: NameFilter

    init(_ fields: NamePattern) {
        filter = NameFilter(fields)
    }

    mutating func collect(_ context: inout CollectionContext) -> [NamedCounter]? {
        var counters: [NamedCounter] = []
        var damaged: [String] = []
        let isRead: Void? = context.read(context.proc, "vmstat") { bytes in
            var scanner = ByteScanner(bytes)
            while let line = scanner.line() {
                var fields = ByteScanner(line)
                guard let name = fields.field()?.string, filter.matches(name) else { continue }
                guard let value = fields.unsigned() else {
                    damaged.append(line.string)
                    continue
                }
                counters.append(NamedCounter(name: name, value: value))
            }
        }
        for line in damaged { context.malformed(context.proc, "vmstat", line) }
        return isRead.map { counters }
    }
}

extension CollectionContext {
    /// The number that a file of procfs holds; nil when it is absent, or a fault.
    mutating func readNumber(_ name: String) -> UInt64? {
        let number = read(proc, name) { $0.trimmed.unsigned }
        if case .some(.none) = number { malformed(proc, name, "") }
        return number ?? nil
    }
}
