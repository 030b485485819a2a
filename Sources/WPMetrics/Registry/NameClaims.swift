// SPDX-License-Identifier: MIT

/// The names of all families, so that no two have samples of the same name in any format.
struct NameClaims {
    private var owners: [String: String] = [:]

    /// All claimed names.
    var names: Set<String> { Set(owners.keys) }

    /// Claims all names of a family.
    /// - Throws: ``MetricError/Code/nameClash`` if one is in use; in that case, none is claimed.
    mutating func claim(_ descriptor: MetricDescriptor) throws(MetricError) {
        let names = descriptor.claimedNames
        for name in names {
            // lint: a name may be free
            guard let owner = owners[name] else { continue }
            throw MetricError(
                .nameClash,
                subject: descriptor.name,
                owner == descriptor.name
                    ? "\(owner) is already registered: register it once, or rename one"
                    : "\(descriptor.name) and \(owner) both use the name \(name): rename one"
            )
        }
        for name in names { owners[name] = descriptor.name }
    }
}
