// SPDX-License-Identifier: MIT

import Fixtures
import Synchronization
import Testing
import WPCore
import WPHost
import WPMetrics
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Families of synthetic machines, compared with `Golden/`. With `RECORD_GOLDENS=1` the files are rewritten, and the
/// test fails.
@Suite struct NodeFamiliesTests {
    private func sampler(_ fixture: HostFixture, in directory: TemporaryDirectory) throws -> HostSampler {
        let tree = try fixture.write(to: directory.path)
        var configuration = HostConfiguration()
        configuration.procfs = tree.proc
        configuration.sysfs = tree.sys
        configuration.rootfs = tree.root
        configuration.collectors = Set(HostCollectorName.allCases)
        return HostSampler(configuration)
    }

    /// Excludes values of the machine that runs the test, and all but a few processors and disks.
    private func isOfTheFixture(_ line: Substring) -> Bool {
        let others = [
            "node_filesystem_", "node_uname_info", "node_scrape_collector_duration", "node_timex_", "node_time_zone_",
            // The path of the tree is in a label.
            "node_rapl_", #"collector="timex""#,
        ]
        if others.contains(where: { line.contains($0) }) {
            return line.contains("_device_error{") || line.contains("_readonly{")
        }
        if let range = line.firstRange(of: "cpu=\"") { return line[range.upperBound...].hasPrefix("0\"") }
        if let range = line.firstRange(of: "device=\"sd") { return line[range.upperBound...].hasPrefix("a\"") }
        return true
    }

    @Test(arguments: HostFixture.allCases)
    func matchesTheRecordedExposition(_ fixture: HostFixture) async throws {
        let directory = try TemporaryDirectory()
        let sampler = try sampler(fixture, in: directory)
        await sampler.sample()
        let collector = NodeMetricsCollector(
            timeSource: TestClock(wall: Date(timeIntervalSince1970: 1_800_000_000)),
            sample: { sampler.current }
        )
        let text = String(
            decoding: TextFormat.encode(collector.collectNow().sorted { $0.name < $1.name }),
            as: UTF8.self
        )
        let lines = text.split(separator: "\n").filter(isOfTheFixture).joined(separator: "\n") + "\n"
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "Golden/\(fixture.rawValue).txt"
        )
        if ProcessInfo.processInfo.environment["RECORD_GOLDENS"] == "1" {
            try Data(lines.utf8).write(to: file)
            Issue.record("recorded \(fixture.rawValue); run again without RECORD_GOLDENS")
            return
        }
        let expected = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        for difference in lines.split(separator: "\n").difference(from: expected.split(separator: "\n")).prefix(10) {
            Issue.record("\(difference)")
        }
    }

    @Test(arguments: HostFixture.allCases)
    func aRegistryAcceptsAllFamilies(_ fixture: HostFixture) async throws {
        let directory = try TemporaryDirectory()
        let sampler = try sampler(fixture, in: directory)
        await sampler.sample()
        let registry = Registry()
        try registry.register(
            NodeMetricsCollector(
                timeSource: TestClock(wall: Date(timeIntervalSince1970: 1_800_000_000)),
                sample: { sampler.current }
            )
        )
        let gathering = await registry.gather()
        #expect(gathering.failures.isEmpty, "\(gathering.failures)")
        for format in [ExpositionFormat.text, .openMetrics] { #expect(!format.encode(gathering.families).isEmpty) }
    }

    @Test func exposesOnlyTheTimeBeforeTheFirstSample() throws {
        let sampler = HostSampler()
        let collector = NodeMetricsCollector(
            timeSource: TestClock(wall: Date(timeIntervalSince1970: 5)),
            sample: { sampler.current }
        )
        #expect(collector.collectNow().map(\.name) == ["node_time_seconds"])
    }
}
