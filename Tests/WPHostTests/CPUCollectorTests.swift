// SPDX-License-Identifier: MIT

import Fixtures
import Testing

@testable import WPHost

@Suite struct CPUCollectorTests {
    private func stat(_ lines: String...) -> String { lines.joined(separator: "\n") + "\nintr 5 1\nctxt 9\n" }

    @Test func readsAllColumnsOf128Processors() throws {
        let host = try TreeHost(.server)
        var collector = CPUCollector()
        let sample = try #require(host.run(&collector).value)
        #expect(sample.cores.map(\.number) == Array(0..<128))
        #expect(sample.cores[5].times.seconds(.user) == 100.05)
        #expect(sample.cores[5].times.seconds(.guestNice) == 0.01)
        #expect(sample.total?.seconds(.idle) == 640_000)
        #expect(sample.usage == nil)
    }

    @Test func missingColumnsAreNil() throws {
        let host = try TreeHost(.old)
        var collector = CPUCollector()
        let sample = try #require(host.run(&collector).value)
        #expect(sample.total?.seconds(.idle) == 400)
        #expect(sample.total?.seconds(.iowait) == nil)
        #expect(sample.total?.seconds(.guest) == nil)
    }

    @Test func usageCoversTheElapsedTimeWithoutIOWait() throws {
        let host = try TreeHost()
        var collector = CPUCollector()
        try host.tree.write(stat("cpu 0 0 0 0 0 0 0 0 0 0", "cpu0 0 0 0 0 0 0 0 0 0 0"), "proc/stat")
        _ = host.run(&collector)
        // 30 of the 40 user ticks were spent in a guest.
        try host.tree.write(stat("cpu 40 0 10 20 20 0 0 10 30 0", "cpu0 40 0 10 20 20 0 0 10 30 0"), "proc/stat")
        let usage = try #require(host.run(&collector).value?.usage)
        #expect(usage.user == 40)
        #expect(usage.system == 10)
        #expect(usage.iowait == 20)
        #expect(usage.steal == 10)
        #expect(usage.busy == 50)
    }

    @Test func omitsUsageWithoutElapsedTicks() throws {
        let host = try TreeHost()
        var collector = CPUCollector()
        try host.tree.write(stat("cpu 1 1 1 1"), "proc/stat")
        _ = host.run(&collector)
        #expect(host.run(&collector).value?.usage == nil)
    }

    @Test func countersNeverDecrease() throws {
        let host = try TreeHost()
        var collector = CPUCollector()
        try host.tree.write(stat("cpu0 100 0 0 5000 70 0 0 0 0 0"), "proc/stat")
        _ = host.run(&collector)
        try host.tree.write(stat("cpu0 110 0 0 4990 60 0 0 0 0 0"), "proc/stat")
        let core = try #require(host.run(&collector).value?.cores.first)
        #expect(core.times.seconds(.idle) == 50)
        #expect(core.times.seconds(.iowait) == 0.7)
        #expect(core.times.seconds(.user) == 1.1)
        #expect(core.usage?.user == 100)
    }

    @Test func restartsTheUsageOfAProcessorThatReturns() throws {
        let host = try TreeHost()
        var collector = CPUCollector()
        try host.tree.write(stat("cpu0 100 0 0 5000", "cpu1 100 0 0 5000"), "proc/stat")
        _ = host.run(&collector)
        try host.tree.write(stat("cpu0 200 0 0 5000"), "proc/stat")
        #expect(host.run(&collector).value?.cores.map(\.number) == [0])
        try host.tree.write(stat("cpu0 200 0 0 4700", "cpu1 1 0 0 2"), "proc/stat")
        let cores = try #require(host.run(&collector).value?.cores)
        #expect(cores.map { $0.times.seconds(.idle) } == [47, 0.02])
        #expect(cores.map(\.usage) == [nil, nil])
    }

    @Test func aMalformedLineAffectsOnlyItsProcessor() throws {
        let host = try TreeHost(.damaged)
        var collector = CPUCollector()
        let (sample, report) = host.run(&collector)
        #expect(sample?.cores.map(\.number) == [1])
        #expect(sample?.total?.seconds(.user) == 1)
        #expect(report?.isSuccess == false)
        #expect(report?.faults.count == 2)
        let (counters, kernelReport) = host.run(StatCollector.self)
        #expect(
            counters == KernelCounters(bootTime: 1_760_000_000, contextSwitches: 99, running: 1)
        )
        #expect(kernelReport?.faults.count == 3)
    }

    @Test func ignoresAnAbsentFile() throws {
        let host = try TreeHost()
        var collector = CPUCollector()
        let (sample, report) = host.run(&collector)
        #expect(sample == nil)
        #expect(report?.isAvailable == false)
        #expect(report?.isSuccess == false)
        #expect(report?.faults == [])
    }

    @Test func countsProcessorsPerCoreAndReadsThemOncePerMinute() throws {
        let host = try TreeHost(.server)
        var collector = CPUInfoCollector()
        let info = try #require(host.run(&collector).value)
        #expect(info.model == "Example 9000 Processor")
        #expect(info.threads == 128)
        #expect(info.cores == 64)
        #expect(info.megahertz == 2401)
        try host.tree.write("processor: 0\n", "proc/cpuinfo")
        host.advance(.seconds(59))
        #expect(host.run(&collector).value == info)
        host.advance(.seconds(2))
        #expect(host.run(&collector).value?.threads == 1)
    }
}
