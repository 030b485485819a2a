// SPDX-License-Identifier: MIT

/// Memory and swap: all fields of `/proc/meminfo`.
public struct MemorySample: Sendable, Hashable {
    /// One line of the file.
    package struct Field: Sendable, Hashable {
        /// The kernel's name, such as `Active(anon)`.
        package let name: String
        /// In bytes if the kernel reports kB, otherwise a count.
        package let value: UInt64
        package let isBytes: Bool
    }

    /// In the order of the file.
    package internal(set) var fields: [Field] = []

    /// A field by the kernel's name, in bytes or a count; nil if this kernel does not report it.
    public subscript(name: String) -> UInt64? { fields.first { $0.name == name }?.value }

    /// The total memory in bytes.
    public var total: UInt64? { self["MemTotal"] }

    /// The memory that programs can allocate without swapping, in bytes. Kernels before 3.14 do not report it: then it
    /// is the sum of free memory and reclaimable caches.
    package var available: UInt64? {
        if let available = self["MemAvailable"] { return available }
        guard let free = self["MemFree"] else { return nil }
        return sum(free, self["Buffers"] ?? 0, self["Cached"] ?? 0, self["SReclaimable"] ?? 0)
    }

    /// `total` minus `available`, in bytes.
    public var used: UInt64? {
        guard let total, let available else { return nil }
        return total - min(available, total)
    }

    /// Used swap in bytes.
    package var swapUsed: UInt64? {
        guard let total = self["SwapTotal"], let free = self["SwapFree"] else { return nil }
        return total - min(free, total)
    }
}

/// Reads `/proc/meminfo`.
struct MeminfoCollector: PlainCollector {
    static let name = "meminfo"

    mutating func collect(_ context: inout CollectionContext) -> MemorySample? {
        var sample = MemorySample()
        let isRead = context.readLines(context.proc, "meminfo") { line in
            if line.trimmed.isEmpty { return true }
            guard let field = Self.field(line) else { return false }
            sample.fields.append(field)
            return true
        }
        return isRead && !sample.fields.isEmpty ? sample : nil
    }

    static func addFamilies(of sample: MemorySample, to families: inout HostFamilies) {
        for field in sample.fields {
            // `Active(anon)` becomes `Active_anon`.
            let name = field.name.replacing("(", with: "_").replacing(")", with: "")
            let help = "The field \(field.name) of /proc/meminfo."
            families.add("memory_" + name + (field.isBytes ? "_bytes" : ""), help, field.value)
        }
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

extension HostSample {
    /// Memory and swap.
    public var memory: MemorySample? { self[MeminfoCollector.self] }
}
