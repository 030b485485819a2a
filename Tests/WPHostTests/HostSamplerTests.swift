// SPDX-License-Identifier: MIT

import Fixtures
import Synchronization
import Testing
import WPCore
import WPTestKit

@testable import WPHost

@Suite struct HostSamplerTests {
    @Test func mergesGroupsWithTheirTimes() async throws {
        let host = try TreeHost(.server)
        let clock = TestClock.early()
        let sampler = HostSampler(host.configuration, timeSource: clock)
        #expect(sampler.current.time == 0 && sampler.current.reports.isEmpty)
        let first = await sampler.sample([.cpu])
        #expect(first.cpu?.cores.count == 128 && first.memory == nil)
        clock.advance(by: .seconds(1))
        let second = await sampler.sample([.system])
        #expect(second.cpu?.cores.count == 128 && second.memory != nil && second.processes == nil)
        #expect(second.time == 1001)
        #expect(second.times.mapValues(\.secondsSince1970) == [.cpu: 1000, .system: 1001])
        clock.advance(by: .seconds(1))
        let third = await sampler.sample()
        #expect(third.processes?.count == 4)
        #expect(third.times.mapValues(\.secondsSince1970) == [.cpu: 1002, .system: 1002, .processes: 1002])
        #expect(Set(third.reports.keys) == HostCollectorName.defaults)
    }

    @Test func removesDevicesThatDisappeared() async throws {
        let host = try TreeHost(.server)
        let sampler = HostSampler(host.configuration, timeSource: TestClock.early())
        #expect(await sampler.sample().load != nil)
        try host.tree.remove("proc/loadavg")
        let sample = await sampler.sample()
        #expect(sample.load == nil && sample.memory != nil)
        #expect(sample.reports["loadavg"]?.isAvailable == false)
    }

    @Test func collectorsCanBeSwitchedOff() async throws {
        let host = try TreeHost(.server)
        var configuration = host.configuration
        configuration.collectors = ["meminfo"]
        let sample = await HostSampler(configuration, timeSource: TestClock.early()).sample()
        #expect(sample.memory != nil && sample.cpu == nil && sample.reports.keys.map(\.self) == ["meminfo"])
    }

    @Test func eachGroupRunsAtItsInterval() async throws {
        let host = try TreeHost(.old)
        var configuration = host.configuration
        configuration.collectors = ["loadavg"]
        let clock = TestClock.early()
        let sampler = HostSampler(configuration, timeSource: clock)
        let times = Mutex<[HostSampleGroup: [Double]]>([:])
        let task = Task {
            await sampler.run(cpu: .seconds(10), processes: .seconds(15), system: .seconds(5)) { group, sample in
                let time = sample.times[group]?.secondsSince1970
                times.withLock { $0[group, default: []].append(time ?? .nan) }
            }
        }
        for _ in 0..<4 {
            try await clock.waitForSleepers(3)
            clock.advance(by: .seconds(5))
        }
        try await clock.waitForSleepers(3)
        task.cancel()
        await task.value
        #expect(
            times.withLock { $0 } == [
                .cpu: [1000, 1010, 1020], .processes: [1000, 1015], .system: [1000, 1005, 1010, 1015, 1020],
            ]
        )
    }

    @Test func reportsAFaultOncePerChange() async throws {
        let host = try TreeHost(.server)
        try host.tree.write("x\n", "proc/loadavg")
        let sampler = HostSampler(host.configuration, timeSource: TestClock.early())
        var journal = CollectorJournal()
        func changes() async -> [CollectorChange] {
            journal.changes(in: await sampler.sample()).filter {
                switch $0 {
                case .failed(let name, _), .recovered(let name): name == "loadavg"
                }
            }
        }
        #expect(await changes() == [.failed("loadavg", [HostFault(.malformed, host.tree.proc + "/loadavg: x")])])
        #expect(await changes() == [])
        try host.tree.write("1 2 3\n", "proc/loadavg")
        #expect(await changes() == [.recovered("loadavg")])
        #expect(await changes() == [])
    }

    #if os(Linux)
    @Test func samplesThisMachine() async throws {
        let sampler = HostSampler()
        await sampler.sample()
        let sample = await sampler.sample()
        #expect(sample.cpu?.cores.isEmpty == false)
        #expect((sample.memory?.total ?? 0) > 1 << 20)
        #expect(sample.uname?.system == "Linux")
        #expect(sample.addresses?.contains { $0.address == "127.0.0.1" } == true)
        #expect((sample.kernel?.bootTime ?? 0) > 1_000_000_000)
    }
    #endif
}
