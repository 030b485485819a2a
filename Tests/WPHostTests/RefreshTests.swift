// SPDX-License-Identifier: MIT

import Fixtures
import Testing
import WPCore
import WPTestKit

@testable import WPHost

/// Samples on demand, and rates across several samples.
struct RefreshTests {
    private static func configuration(_ host: TreeHost) -> HostConfiguration {
        var configuration = host.configuration
        configuration.collectors = ["cpu", "netdev", "diskstats", "filesystem"]
        return configuration
    }

    @Test func readsOnlyGroupsOlderThanRequested() async throws {
        let host = try TreeHost(.server)
        let clock = TestClock.early()
        let sampler = HostSampler(Self.configuration(host), timeSource: clock)
        func seconds(_ group: HostSampleGroup) -> Double? { sampler.current.times[group]?.secondsSince1970 }
        await sampler.sample()
        #expect(seconds(.system) == 1000)
        clock.advance(by: .milliseconds(500))
        await sampler.refresh([.cpu, .system], olderThan: .seconds(1), waitingAtMost: .seconds(60))
        #expect(seconds(.system) == 1000 && seconds(.cpu) == 1000)
        clock.advance(by: .seconds(1))
        await sampler.refresh([.cpu, .system], olderThan: .seconds(1), waitingAtMost: .zero)
        #expect(await eventually { seconds(.system) == 1001.5 && seconds(.cpu) == 1001.5 })
        #expect(seconds(.processes) == 1000)
    }

    @Test func aLateSampleDoesNotReplaceANewerOne() {
        var newer = HostSample()
        newer.times[.cpu] = TimePoint(secondsSince1970: 2, monotonic: .seconds(2))
        var older = HostSample()
        older.times[.cpu] = TimePoint(secondsSince1970: 9, monotonic: .seconds(1))
        var sample = HostSample()
        sample.replace(.cpu, from: newer)
        sample.replace(.cpu, from: older)
        #expect(sample.times[.cpu]?.monotonic == .seconds(2))
    }

    @Test func ratesCoverTheTimeSinceThePreviousSnapshot() throws {
        func traffic(_ bytes: UInt64, at seconds: Int) -> HostSample {
            var sample = HostSample()
            sample.times[.system] = TimePoint(secondsSince1970: 0, monotonic: .seconds(seconds))
            var counters = [UInt64](repeating: bytes, count: 16)
            counters[InterfaceTraffic.Counter.receivedPackets.rawValue] = bytes / 100
            var interface = InterfaceTraffic(device: "eth0", counters: counters)
            // The collector's own rates cover only its last two samples.
            interface.rates = InterfaceTraffic.Rates(received: 1, sent: 1, receivedPackets: 1, sentPackets: 1)
            sample[NetdevCollector.self] = [interface]
            var disk = DiskSample(major: 8, minor: 0, device: "sda", counters: [UInt64](repeating: bytes, count: 11))
            disk.rates = DiskSample.Rates(read: 1, written: 1, reads: 1, writes: 1, utilization: 1)
            sample[DiskstatsCollector.self] = [disk]
            sample[FilesystemCollector.self] = [
                FilesystemSample(
                    device: "/dev/sda",
                    mountPoint: "/",
                    type: "ext4",
                    isReadOnly: false,
                    major: 8,
                    minor: 0,
                    space: nil
                )
            ]
            return sample
        }
        let earlier = traffic(1000, at: 10)
        let snapshot = NodeSnapshot(traffic(6000, at: 15), nodeName: "n", since: earlier)
        let network = try #require(snapshot.networks.first)
        #expect(network.receiveRate == 1000 && network.receivedPacketRate == 10 && network.sentPacketRate == 1000)
        let disk = try #require(snapshot.disks.first)
        #expect(disk.readIOPS == 1000 && disk.readRate == 512_000)
        // Without an earlier sample, and after a counter decreased, the collector's own rates are used.
        #expect(NodeSnapshot(traffic(6000, at: 15), nodeName: "n").networks.first?.receiveRate == 1)
        #expect(NodeSnapshot(traffic(1, at: 15), nodeName: "n", since: earlier).networks.first?.receiveRate == 1)
    }
}
