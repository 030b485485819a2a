// SPDX-License-Identifier: MIT

import HostFixtures
import Synchronization
import Testing

@testable import WPHost

@Suite struct HostSamplerTests {
    @Test func groupsAreMergedAndKeepTheirTimes() async throws {
        let host = try TreeHost(.server)
        let clock = SteppingClock()
        let sampler = HostSampler(host.configuration, clock: clock.hostClock)
        #expect(sampler.current.time == 0 && sampler.current.reports.isEmpty)
        let first = await sampler.sample([.cpu])
        #expect(first.cpu?.cores.count == 128 && first.memory == nil)
        clock.advance(.seconds(1))
        let second = await sampler.sample([.system])
        #expect(second.cpu?.cores.count == 128 && second.memory != nil && second.processes == nil)
        #expect(second.time == 1001)
        #expect(second.versions == [.cpu: 1, .system: 1])
        let third = await sampler.sample()
        #expect(third.processes?.count == 4)
        #expect(third.versions == [.cpu: 2, .system: 2, .processes: 1])
        #expect(Set(third.reports.keys) == Set(HostCollectorName.allCases))
    }

    @Test func whatIsGoneDoesNotStay() async throws {
        let host = try TreeHost(.server)
        let sampler = HostSampler(host.configuration, clock: SteppingClock().hostClock)
        #expect(await sampler.sample().load != nil)
        try host.tree.remove("proc/loadavg")
        let sample = await sampler.sample()
        #expect(sample.load == nil && sample.memory != nil)
        #expect(sample.reports[.loadavg]?.isAvailable == false)
    }

    @Test func collectorsCanBeSwitchedOff() async throws {
        let host = try TreeHost(.server)
        var configuration = host.configuration
        configuration.collectors = [.meminfo]
        let sample = await HostSampler(configuration, clock: SteppingClock().hostClock).sample()
        #expect(sample.memory != nil && sample.cpu == nil && sample.reports.keys.map(\.self) == [.meminfo])
    }

    @Test func eachGroupRunsAtItsInterval() async throws {
        let host = try TreeHost(.old)
        let counts = Mutex<[HostSampleGroup: Int]>([:])
        // One group alone, since the sleeps of all move the same clock.
        var configuration = host.configuration
        configuration.collectors = [.loadavg]
        let clock = SteppingClock()
        let sampler = HostSampler(configuration, clock: clock.hostClock)
        let times = Mutex<[Double]>([])
        let (stream, continuation) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            await sampler.run(cpu: .seconds(1000), processes: .seconds(1000), system: .seconds(5)) { group, sample in
                counts.withLock { $0[group, default: 0] += 1 }
                if group == .system { times.withLock { $0.append(sample.time) } }
                if counts.withLock({ $0[.system] ?? 0 }) == 4 { continuation.yield() }
            }
        }
        for await _ in stream { break }
        task.cancel()
        await task.value
        #expect(times.withLock { $0.count } >= 4)
        #expect(times.withLock { Set($0).count } >= 2)
    }

    @Test func aFaultIsReportedOncePerChange() async throws {
        let host = try TreeHost(.server)
        try host.tree.write("x\n", "proc/loadavg")
        let sampler = HostSampler(host.configuration, clock: SteppingClock().hostClock)
        var journal = CollectorJournal()
        func changes() async -> [CollectorChange] {
            journal.changes(in: await sampler.sample()).filter {
                switch $0 {
                case .failed(let name, _), .recovered(let name): name == .loadavg
                }
            }
        }
        #expect(await changes() == [.failed(.loadavg, [HostFault(.malformed, host.tree.proc + "/loadavg: x")])])
        #expect(await changes() == [])
        try host.tree.write("1 2 3\n", "proc/loadavg")
        #expect(await changes() == [.recovered(.loadavg)])
        #expect(await changes() == [])
    }

    #if os(Linux)
    @Test func thisMachineIsSampled() async throws {
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
