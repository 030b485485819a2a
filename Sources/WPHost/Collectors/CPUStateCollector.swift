// SPDX-License-Identifier: MIT

/// Reads the limits of processors: thermal throttling, isolation and frequency governors, in `/sys/devices/system/cpu`.
struct CPUStateCollector: PlainCollector {
    static let name = "cpu_state"

    private static let directory = "devices/system/cpu"
    private static let files = [
        "topology/physical_package_id", "topology/core_id", "thermal_throttle/core_throttle_count",
        "thermal_throttle/package_throttle_count", "cpufreq/scaling_governor", "cpufreq/scaling_available_governors",
    ]

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        let names = (context.names(context.sys, in: Self.directory) ?? []).numbered("cpu")
        guard !names.isEmpty else { return nil }
        var families = HostFamilies()
        var cores: Set<[String]> = []
        var packages: Set<String> = []
        for (name, values) in context.readAttributes(of: names, in: Self.directory, Self.files) {
            let cpu = String(name.dropFirst(3))
            // Threads of one core, and cores of one package, show the same count.
            if let package = values[0], let core = values[1], let count = values[2].flatMap({ UInt64($0) }),
                cores.insert([package, core]).inserted
            {
                families.add(
                    "cpu_core_throttles_total",
                    "Times that a core was slowed down because of heat.",
                    labels: ["core", core, "package", package],
                    Double(count)
                )
            }
            if let package = values[0], let count = values[3].flatMap({ UInt64($0) }), packages.insert(package).inserted
            {
                families.add(
                    "cpu_package_throttles_total",
                    "Times that a package was slowed down because of heat.",
                    labels: ["package", package],
                    Double(count)
                )
            }
            guard let governor = values[4], !governor.isEmpty else { continue }
            for available in (values[5] ?? governor).split(separator: " ") {
                families.add(
                    "cpu_scaling_governor",
                    "Whether a governor sets the clock rate of a processor.",
                    labels: ["cpu", cpu, "governor", String(available)],
                    available == governor ? 1 : 0
                )
            }
        }
        let isolated = context.readAttributes([context.sys.path(Self.directory + "/isolated")])[0]
        for cpu in Self.list(isolated?.scanned { $0.trimmed.string } ?? "") {
            families.add(
                "cpu_isolated",
                "A processor that is isolated from the scheduler.",
                labels: ["cpu", String(cpu)],
                1
            )
        }
        return families
    }

    /// The numbers of a list such as `1,3-5`; at most 65,536.
    static func list(_ text: String) -> [Int] {
        text.split(separator: ",").flatMap { part -> [Int] in
            let bounds = part.split(separator: "-").map { UInt16($0) }
            guard let first = bounds.first ?? nil, let last = bounds.last ?? nil, bounds.count <= 2, first <= last
            else {
                return []
            }
            return (Int(first)...Int(last)).map { $0 }
        }
    }
}
