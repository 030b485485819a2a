// SPDX-License-Identifier: MIT

/// Which family uses which names, so that no two families write samples of the same name in any format.
struct NameClaims {
    private var owners: [String: String] = [:]

    /// All names that are taken.
    var names: Set<String> { Set(owners.keys) }

    /// Takes all names of a family.
    /// - Throws: ``MetricError/Code/nameClash`` when one is taken; no name is claimed then.
    mutating func claim(_ descriptor: MetricDescriptor) throws(MetricError) {
        let names = descriptor.claimedNames
        for name in names {
            guard let owner = owners[name] else { continue }
            throw MetricError(
                .nameClash,
                subject: descriptor.name,
                owner == descriptor.name
                    ? "\(owner) is registered already: register it once, or rename one"
                    : "\(descriptor.name) and \(owner) both use the name \(name): rename one"
            )
        }
        for name in names { owners[name] = descriptor.name }
    }
}
