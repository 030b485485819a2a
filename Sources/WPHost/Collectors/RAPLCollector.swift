// SPDX-License-Identifier: MIT

/// Reads the energy used by processors and memory (Documentation/power/powercap): `/sys/class/powercap`. Readable only
/// by root since Linux 5.10.
struct RAPLCollector: PlainCollector {
    static let name = "rapl"

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        guard let names = context.names(context.sys, in: "class/powercap") else { return nil }
        let zones = context.readAttributes(of: names, in: "class/powercap", ["name", "energy_uj"])
            .filter { $0.values[0] != nil }
        var families = HostFamilies()
        var counts: [String: Int] = [:]
        for zone in zones {
            var name = zone.values[0] ?? ""
            var index = counts[name] ?? 0
            let parts = name.split(separator: "-", omittingEmptySubsequences: false)
            // The name `package-1` contains its index, whereas several zones with the name `dram` are counted.
            if parts.count == 2, let number = Int(parts[1]) { (name, index) = (String(parts[0]), number) }
            counts[name] = index &+ 1
            families.add(
                "rapl_\(Self.clean(name))_joules_total",
                "Energy that \(name) has used.",
                labels: ["index", String(index), "path", context.sys.path("class/powercap/\(zone.name)")],
                zone.values[1].flatMap { UInt64($0) }.map { Double($0) / 1e6 }
            )
        }
        return families.isEmpty && !zones.isEmpty ? nil : families
    }

    /// The name with one `_` for each run of invalid characters.
    private static func clean(_ name: String) -> String {
        var result = ""
        var isGap = false
        for scalar in name.unicodeScalars {
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9":
                if isGap { result += "_" }
                isGap = false
                result.unicodeScalars.append(scalar)
            default: isGap = true
            }
        }
        return isGap ? result + "_" : result
    }
}
