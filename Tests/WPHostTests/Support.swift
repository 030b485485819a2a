// SPDX-License-Identifier: MIT

import Fixtures
import Synchronization
import WPCore
import WPMetrics
import WPTestKit

@testable import WPHost

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A temporary tree and its readers.
final class TreeHost {
    let directory: TemporaryDirectory
    let tree: HostTree
    var context: CollectionContext

    init(_ fixture: HostFixture? = nil, deadline: Duration = .seconds(5)) throws {
        directory = try TemporaryDirectory()
        tree = try fixture?.write(to: directory.path) ?? HostTree(directory.path)
        var configuration = HostConfiguration()
        configuration.procfs = tree.proc
        configuration.sysfs = tree.sys
        configuration.rootfs = tree.root
        configuration.callDeadline = deadline
        configuration.mountDeadline = deadline
        context = CollectionContext(configuration, now: TimePoint(secondsSince1970: 1000, monotonic: .seconds(1)))
    }

    var configuration: HostConfiguration {
        var configuration = HostConfiguration()
        configuration.procfs = tree.proc
        configuration.sysfs = tree.sys
        configuration.rootfs = tree.root
        return configuration
    }

    /// Advances the time between two samples.
    func advance(_ duration: Duration) {
        context.now.monotonic += duration
        context.now.wall += duration.inSeconds
    }

    /// Runs a collector, and returns its value and report.
    func run<Collector: HostCollector>(_ collector: inout Collector) -> (
        value: Collector.Value?, report: CollectorReport?
    ) {
        var sample = HostSample()
        collector.collect(into: &sample, &context)
        return (sample[Collector.self], sample.reports[HostCollectorName(of: Collector.self)])
    }

    /// The second sample of a host, two seconds after the first, with command lines.
    static func sample(_ fixture: HostFixture) async throws -> HostSample {
        let host = try TreeHost(fixture)
        var configuration = host.configuration
        configuration.includesCommandLines = true
        let clock = TestClock.early()
        let sampler = HostSampler(configuration, timeSource: clock)
        await sampler.sample()
        clock.advance(by: .seconds(2))
        return await sampler.sample()
    }

    /// Runs a collector without settings or state once.
    func run<Collector: PlainCollector>(_: Collector.Type) -> (value: Collector.Value?, report: CollectorReport?) {
        // In an array, because ThreadSanitizer crashes when it checks the address of a variable of size 0.
        var collectors = [Collector()]
        return run(&collectors[0])
    }
}

extension TreeHost {
    /// Runs a collector of families once, and returns its values by family and labels.
    func values<Collector: HostCollector>(
        _ collector: Collector
    ) -> (values: [String: Double], report: CollectorReport?) where Collector.Value == HostFamilies {
        var collector = collector
        let (families, report) = run(&collector)
        return (families?.values ?? [:], report)
    }
}

extension HostFamilies {
    /// By family and labels.
    var values: [String: Double] {
        var values: [String: Double] = [:]
        for family in families {
            for metric in family.metrics {
                let labels = metric.labels.flatMap { [$0.name, $0.value] }
                let key = ([String(family.name.dropFirst(5))] + labels).joined(separator: " ")
                if case .value(let number) = metric.value { values[key] = number }
            }
        }
        return values
    }
}

extension HostConfiguration {
    /// The defaults with some properties changed.
    static func with(_ edit: (inout HostConfiguration) throws -> Void) rethrows -> HostConfiguration {
        var configuration = HostConfiguration()
        try edit(&configuration)
        return configuration
    }
}

extension TestClock {
    /// A clock that starts 1000 s after 1970.
    static func early() -> TestClock { TestClock(wall: Date(timeIntervalSince1970: 1000)) }
}
