// SPDX-License-Identifier: MIT

/// A change in how a collector fares, for a log that says each thing once.
package enum CollectorChange: Sendable, Hashable {
    /// These values could not be read, which could be before, or were not asked for.
    case failed(HostCollectorName, [HostFault])
    /// Everything could be read again.
    case recovered(HostCollectorName)
}

/// Remembers what each collector's faults were, so that a fault that lasts is reported once.
package struct CollectorJournal: Sendable {
    private var known: [HostCollectorName: Set<HostFault>] = [:]

    /// Creates a journal that knows of no faults.
    package init() {}

    /// What is different from the sample before, by the collectors' order.
    package mutating func changes(in sample: HostSample) -> [CollectorChange] {
        HostCollectorName.allCases.compactMap { name in
            guard let report = sample.reports[name] else { return nil }
            let old = known[name] ?? []
            let new = Set(report.faults)
            known[name] = new.isEmpty ? nil : new
            if new.isEmpty { return old.isEmpty ? nil : .recovered(name) }
            let added = report.faults.filter { !old.contains($0) }
            return added.isEmpty ? nil : .failed(name, added)
        }
    }
}
