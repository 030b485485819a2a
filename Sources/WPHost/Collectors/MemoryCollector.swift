// SPDX-License-Identifier: MIT

/// Memory and swap: all fields of `/proc/meminfo`.
public struct MemorySample: Sendable, Hashable {
    /// One line of the file.
    package struct Field: Sendable, Hashable {
        /// The kernel's name, such as `Active(anon)`.
        package let name: String
        /// In bytes where the kernel gives kB, else a count.
        package let value: UInt64
        package let isBytes: Bool
    }

    /// In the order of the file.
    package internal(set) var fields: [Field] = []

    /// A field by the kernel's name, in bytes or a count; nil when this kernel does not have it.
    public subscript(name: String) -> UInt64? { fields.first { $0.name == name }?.value }

    /// All memory in bytes.
    public var total: UInt64? { self["MemTotal"] }

    /// What programs can still get without swapping, in bytes. Kernels before 3.14 don't say it: then it is free memory
    /// and what can be dropped.
    package var available: UInt64? {
        if let available = self["MemAvailable"] { return available }
        guard let free = self["MemFree"] else { return nil }
        return sum(free, self["Buffers"] ?? 0, self["Cached"] ?? 0, self["SReclaimable"] ?? 0)
    }

    /// `total` less `available`, in bytes.
    public var used: UInt64? {
        guard let total, let available else { return nil }
        return total - min(available, total)
    }

    /// Swap that is in use, in bytes.
    package var swapUsed: UInt64? {
        guard let total = self["SwapTotal"], let free = self["SwapFree"] else { return nil }
        return total - min(free, total)
    }
}

/// Reads `/proc/meminfo`.
struct MemoryCollector: HostCollector {
    static let name = HostCollectorName.meminfo
    static let part: HostPart<MemorySample> = \.memory

    mutating func collect(_ context: inout CollectionContext) -> MemorySample? {
        var sample = MemorySample()
        var damaged: [String] = []
        let isRead: Void? = context.read(context.proc, "meminfo") { bytes in
            var scanner = ByteScanner(bytes)
            while let line = scanner.line() {
                guard !line.trimmed.isEmpty else { continue }
                if let field = Self.field(line) {
                    sample.fields.append(field)
                } else {
                    damaged.append(line.string)
                }
            }
        }
        for line in damaged { context.malformed(context.proc, "meminfo", line) }
        guard isRead != nil else { return nil }
        return sample.fields.isEmpty ? nil : sample
    }

    private static func field(_ line: Bytes) -> MemorySample.Field? {
        var fields = ByteScanner(line)
        guard let name = fields.prefix(upTo: UInt8(ascii: ":"))?.trimmed, !name.isEmpty, let value = fields.unsigned()
        else { return nil }
        guard let unit = fields.field() else {
            return MemorySample.Field(name: name.string, value: value, isBytes: false)
        }
        let (bytes, overflow) = value.multipliedReportingOverflow(by: 1024)
        guard unit.equals("kB"), !overflow else { return nil }
        return MemorySample.Field(name: name.string, value: bytes, isBytes: true)
    }
}
