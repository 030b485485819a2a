// SPDX-License-Identifier: MIT

/// Reads the vulnerabilities of processors and the kernel's mitigations: `/sys/devices/system/cpu/vulnerabilities`.
struct CPUVulnerabilitiesCollector: PlainCollector {
    static let name = "cpu_vulnerabilities"

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        let directory = "devices/system/cpu/vulnerabilities"
        guard let names = context.names(context.sys, in: directory) else { return nil }
        var families = HostFamilies()
        for (name, value) in zip(names, context.readAttributes(names.map { context.sys.path("\(directory)/\($0)") })) {
            guard let text = value?.scanned({ $0.trimmed.string }) else { continue }
            let state: String
            var mitigation = ""
            if text.hasPrefix("Mitigation: ") {
                (state, mitigation) = ("mitigation", String(text.dropFirst(12)))
            } else if text.hasPrefix("Not affected") {
                state = "not affected"
            } else {
                state = text.hasPrefix("Vulnerable") ? "vulnerable" : "unknown"
            }
            families.add(
                "cpu_vulnerabilities_info",
                "A vulnerability of the processors, and its mitigation.",
                labels: ["codename", name, "mitigation", mitigation, "state", state],
                1
            )
        }
        return families
    }
}
