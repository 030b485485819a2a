// SPDX-License-Identifier: MIT

/// A change of a collector's faults, which is logged once.
package enum CollectorChange: Sendable, Hashable {
    /// These faults are new.
    case failed(HostCollectorName, [HostFault])
    /// No fault is left.
    case recovered(HostCollectorName)
}

/// Tracks the faults of each collector, so that a persistent fault is reported once.
package struct CollectorJournal: Sendable {
    private var known: [HostCollectorName: Set<HostFault>] = [:]

    /// Creates a journal without faults.
    package init() {}

    /// The changes since the previous sample, in the order of the collectors.
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
