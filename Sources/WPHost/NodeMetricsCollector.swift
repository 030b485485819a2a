// SPDX-License-Identifier: MIT

import Synchronization
package import WPCore
public import WPMetrics

/// Converts a host's sample to the families of node_exporter: the same names, types, labels and units.
///
/// Gathering reads no files.
public final class NodeMetricsCollector: ImmediateCollector {
    private let sample: @Sendable () -> HostSample
    private let timeSource: any TimeSource
    private let reserved: @Sendable () -> Set<String>
    private let onTextFault: @Sendable (TextFileFault) -> Void
    private let moreReports: @Sendable () -> [OtherReport]
    /// The last faults of text files, each of which is reported once.
    private let textFaults = Mutex<Set<TextFileFault>>([])

    /// Creates a collector.
    /// - Parameter sample: returns the newest sample, such as `HostSampler.current`.
    public convenience init(sample: @escaping @Sendable () -> HostSample) {
        self.init(onTextFault: { _ in }, sample: sample)
    }

    /// Creates a collector with another wall clock.
    /// - Parameters:
    ///   - timeSource: returns the time for `node_time_seconds`.
    ///   - reserved: names that text files cannot use, besides those of the families of the sample.
    ///   - onTextFault: called once for each version of a text file that cannot be used.
    ///   - moreReports: returns the results of other collectors.
    package init(
        timeSource: any TimeSource = .system,
        reserved: @escaping @Sendable () -> Set<String> = { [] },
        onTextFault: @escaping @Sendable (TextFileFault) -> Void = { _ in },
        moreReports: @escaping @Sendable () -> [OtherReport] = { [] },
        sample: @escaping @Sendable () -> HostSample
    ) {
        self.timeSource = timeSource
        self.reserved = reserved
        self.onTextFault = onTextFault
        self.moreReports = moreReports
        self.sample = sample
    }

    /// None: the families depend on the machine.
    public var descriptors: [MetricDescriptor] { [] }

    /// The families of the newest sample.
    public func collectNow() -> [MetricFamily] {
        let sample = sample()
        var values = HostFamilies()
        for collector in HostCollectors.all { collector.addFamilies(of: sample, to: &values) }
        var families = values.families
        if let files = sample[TextFileCollector.self] {
            let texts = TextFamilies(files, beside: families, reserved: reserved())
            let known = textFaults.withLock { known in
                defer { known = Set(texts.faults) }
                return known
            }
            for fault in texts.faults where !known.contains(fault) { onTextFault(fault) }
            families += texts.families + texts.status.families
        }
        var now = HostFamilies()
        // The time collector may be disabled.
        if sample.reports.isEmpty || sample.reports["time"] != nil {
            now.add("time_seconds", "System time in seconds since 1970.", timeSource.now.secondsSince1970)
        }
        now.add(reports: sample.reports)
        for other in moreReports() { now.add(other) }
        return families + now.families
    }
}

extension NodeMetricsCollector {
    /// The result of the last run of a collector that the sampler does not run.
    package struct OtherReport: Sendable {
        let collector: String
        let seconds: Double
        package let isSuccess: Bool

        package init(collector: String, seconds: Double, isSuccess: Bool) {
            (self.collector, self.seconds, self.isSuccess) = (collector, seconds, isSuccess)
        }
    }
}

extension HostFamilies {
    fileprivate mutating func add(_ report: NodeMetricsCollector.OtherReport) {
        let labels = ["collector", report.collector]
        let duration = "Time that a collector took for its last sample."
        add("scrape_collector_duration_seconds", duration, labels: labels, report.seconds)
        let success = "Whether a collector succeeded."
        add("scrape_collector_success", success, labels: labels, report.isSuccess ? 1 : 0)
    }

    /// Adds the result of each collector's last run, with its own time: groups are not sampled together.
    fileprivate mutating func add(reports: [HostCollectorName: CollectorReport]) {
        for name in HostCollectorName.allCases {
            // lint: collectors may be disabled
            guard let report = reports[name] else { continue }
            add(.init(collector: name.rawValue, seconds: report.seconds, isSuccess: report.isSuccess))
        }
    }
}
