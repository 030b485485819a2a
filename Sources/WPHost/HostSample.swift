// SPDX-License-Identifier: MIT

package import WPCore

/// The state of a host at one time. A value is nil if its collector is disabled, does not apply to this machine, or failed;
/// ``reports`` distinguishes these.
public struct HostSample: Sendable {
    /// When the newest value was read, in seconds since 1970; 0 before the first sample.
    public internal(set) var time = 0.0
    /// The values by collector.
    private var values: [HostCollectorName: any Sendable] = [:]
    /// The sampling time by group.
    package internal(set) var times: [HostSampleGroup: TimePoint] = [:]
    /// The result of each collector's last run.
    public internal(set) var reports: [HostCollectorName: CollectorReport] = [:]

    init() {}

    /// The value of a collector; nil if it is disabled, does not apply to this machine, or failed.
    package subscript<Collector: HostCollector>(_ collector: Collector.Type) -> Collector.Value? {
        get {
            guard let value = values[HostCollectorName(of: collector)] else { return nil }
            guard let value = value as? Collector.Value else {
                preconditionFailure("the value of \(collector.name) is a \(type(of: value))")
            }
            return value
        }
        set { values[HostCollectorName(of: collector)] = newValue }
    }

    /// Replaces the values of a group with those of another sample, unless that is older.
    mutating func replace(_ group: HostSampleGroup, from other: HostSample) {
        // Concurrent samples may finish in a different order.
        if let mine = times[group], let its = other.times[group], its.monotonic < mine.monotonic { return }
        time = max(time, other.time)
        times[group] = other.times[group]
        for collector in HostCollectors.all where collector.group == group {
            let name = HostCollectorName(of: collector)
            values[name] = other.values[name]
            reports[name] = other.reports[name]
        }
    }

    /// The sample reduced to these collectors.
    package func keeping(_ names: Set<HostCollectorName>) -> HostSample {
        var sample = self
        sample.values = values.filter { names.contains($0.key) }
        sample.reports = reports.filter { names.contains($0.key) }
        return sample
    }
}

/// The result of one run of a collector.
public struct CollectorReport: Sendable, Hashable {
    /// Whether the collector applies to this machine.
    package let isAvailable: Bool
    /// Whether it read everything. A file system that does not answer is not a failure of the collector.
    public let isSuccess: Bool
    /// The values that it could not read. The sample contains all others.
    public let faults: [HostFault]
    /// The duration in seconds.
    package let seconds: Double
}
