// SPDX-License-Identifier: MIT

/// Counts neighbours by interface: `/proc/net/arp`.
struct ARPCollector: HostCollector {
    static let name = "arp"

    private let excluded: NameFilter

    init(_ configuration: HostConfiguration) {
        excluded = NameFilter(configuration.excludedNeighbours, included: configuration.includedNeighbours)
    }

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        var counts: [ExactText: Int] = [:]
        let isRead = context.readLines(context.network, "net/arp", headings: 1) { line in
            let fields = line.fields
            guard let last = fields.last, fields.count >= 6 else { return fields.isEmpty }
            counts[ExactText(last.string), default: 0] += 1
            return true
        }
        guard isRead else { return nil }
        var families = HostFamilies()
        for (device, count) in counts.sorted(by: { $0.key.text < $1.key.text }) where !excluded.matches(device.text) {
            families.add("arp_entries", "Neighbours of an interface.", labels: ["device", device.text], count)
        }
        return families
    }
}
