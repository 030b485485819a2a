// SPDX-License-Identifier: MIT

import WPHost
import WPMetrics

extension FamilyBuilder {
    mutating func addKernel(_ counters: KernelCounters?) {
        gauge(
            "node_boot_time_seconds",
            "Start of the system in seconds since 1970.",
            counters?.bootTime.map { Double($0) }
        )
        counter("node_context_switches_total", "Switches from one task to another.", counters?.contextSwitches)
        counter("node_forks_total", "Processes and threads that were started.", counters?.forks)
        counter("node_intr_total", "Interrupts that were serviced.", counters?.interrupts)
        gauge("node_procs_running", "Processes that can run.", counters?.running.map { Double($0) })
        gauge("node_procs_blocked", "Processes that wait for a device.", counters?.blocked.map { Double($0) })
    }

    mutating func addMemory(_ sample: MemorySample?) {
        for field in sample?.fields ?? [] {
            let name = "node_memory_" + Self.fieldName(field.name) + (field.isBytes ? "_bytes" : "")
            gauge(name, "The field \(field.name) of /proc/meminfo.", Double(field.value))
        }
    }

    /// `Active(anon)` as `Active_anon`.
    private static func fieldName(_ name: String) -> String {
        guard name.utf8.contains(UInt8(ascii: "(")) else { return name }
        return name.replacing("(", with: "_").replacing(")", with: "")
    }

    mutating func addVMStat(_ counters: [NamedCounter]) {
        for counter in counters {
            add(
                "node_vmstat_" + counter.name,
                "The field \(counter.name) of /proc/vmstat.",
                type: .unknown,
                [(.empty, Double(counter.value))]
            )
        }
    }

    mutating func addFiles(_ files: FileHandles?, _ tracked: TrackedConnections?, _ entropy: EntropyPool?) {
        gauge("node_filefd_allocated", "Open files of the system.", files.map { Double($0.allocated) })
        gauge("node_filefd_maximum", "Files that the system can have open.", files.map { Double($0.maximum) })
        gauge("node_nf_conntrack_entries", "Connections that are tracked.", tracked?.entries.map { Double($0) })
        gauge("node_nf_conntrack_entries_limit", "Connections that can be tracked.", tracked?.limit.map { Double($0) })
        for counter in tracked?.counters ?? [] {
            gauge(
                "node_nf_conntrack_stat_" + counter.name,
                "The counter \(counter.name) of /proc/net/stat/nf_conntrack.",
                Double(counter.value)
            )
        }
        gauge("node_entropy_available_bits", "Bits in the random pool.", entropy?.available.map { Double($0) })
        gauge("node_entropy_pool_size_bits", "Bits that the random pool holds.", entropy?.size.map { Double($0) })
    }

    mutating func addSystem(_ uname: SystemName?, _ os: OperatingSystem?) {
        if let uname {
            let labels = labels(
                "domainname",
                uname.domain,
                "machine",
                uname.machine,
                "nodename",
                uname.node,
                "release",
                uname.release,
                "sysname",
                uname.system,
                "version",
                uname.version
            )
            add("node_uname_info", "Kernel and machine, as uname(2) says.", [(labels, 1)])
        }
        guard let os else { return }
        let names = [
            "build_id", "id", "id_like", "image_id", "image_version", "name", "pretty_name", "variant", "variant_id",
            "version", "version_codename", "version_id",
        ]
        let pairs = names.flatMap { [$0, os[$0.uppercased()] ?? ""] }
        add("node_os_info", "The distribution, as os-release says.", [(labels.set(pairs), 1)])
        let version = os["VERSION_ID"].flatMap(Self.version)
        let own = labels("id", os["ID"] ?? "", "id_like", os["ID_LIKE"] ?? "", "name", os["NAME"] ?? "")
        add("node_os_version", "Major and minor version of the distribution.", [(own, version)])
    }

    /// `22.04.1` as 22.04; nil for what does not begin with a number.
    private static func version(_ text: String) -> Double? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false).prefix(2)
            .map { $0.prefix { ("0"..."9").contains($0) } }
        guard let major = parts.first, !major.isEmpty else { return nil }
        if parts.count == 2, !parts[1].isEmpty { return Double("\(major).\(parts[1])") }
        return Double(major)
    }
}
