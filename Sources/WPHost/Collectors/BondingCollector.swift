// SPDX-License-Identifier: MIT

/// Reads bonded network interfaces (Documentation/networking/bonding.rst): `/sys/class/net/*/bonding`.
struct BondingCollector: PlainCollector {
    static let name = "bonding"

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        let sys = context.sys
        guard let masters = context.readAttributes([sys.path("class/net/bonding_masters")])[0] else { return nil }
        let names = masters.scanned { $0.string }.split(whereSeparator: \.isWhitespace).map(String.init)
        var families = HostFamilies()
        for (master, values) in context.readAttributes(of: names, in: "class/net", ["bonding/slaves"]) {
            guard let slaves = values[0]?.split(whereSeparator: \.isWhitespace) else {
                context.faults.append(HostFault(.malformed, sys.path("class/net/\(master)/bonding/slaves")))
                continue
            }
            // Before Linux 3.9, the names of these links begin with `slave_`.
            let links = slaves.map { ["lower_\($0)", "slave_\($0)"] }.flatMap { $0 }
            let files = context.readAttributes(of: links, in: "class/net/\(master)", ["bonding_slave/mii_status"])
            let states = stride(from: 0, to: files.count, by: 2).map { files[$0].values[0] ?? files[$0 + 1].values[0] }
            families.add("bonding_slaves", "Interfaces of a bond.", labels: ["master", master], Double(slaves.count))
            if let unknown = states.firstIndex(of: nil) {
                context.faults.append(
                    HostFault(
                        .malformed,
                        sys.path("class/net/\(master)/\(links[unknown * 2])/bonding_slave/mii_status")
                    )
                )
                continue
            }
            families.add(
                "bonding_active",
                "Interfaces of a bond that have a link.",
                labels: ["master", master],
                Double(states.count { $0 == "up" })
            )
        }
        return families
    }
}
