// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPCore
import WPTestKit

@testable import WPMetrics

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The standard families of the process, and the build.
struct ProcessCollectorTests {
    @Test func declaresTheStandardFamilies() throws {
        let names = ProcessCollector().descriptors.map(\.name)
        #expect(
            names == [
                "process_cpu_seconds_total", "process_open_fds", "process_max_fds", "process_virtual_memory_bytes",
                "process_virtual_memory_max_bytes", "process_resident_memory_bytes", "process_start_time_seconds",
                "process_network_receive_bytes_total", "process_network_transmit_bytes_total",
            ]
        )
        try Registry().register(ProcessCollector())
    }

    @Test func reportsPlausibleNumbers() async throws {
        let registry = Registry()
        try registry.register(ProcessCollector())
        let gathering = await registry.gather()
        #expect(gathering.failures.isEmpty)
        func value(_ name: String) throws -> Double {
            let family = try #require(gathering.families.first { $0.name == name })
            guard case .value(let value) = try #require(family.metrics.first).value else { return .nan }
            return value
        }
        #expect(try value("process_cpu_seconds_total") > 0)
        #expect(try value("process_open_fds") >= 3)
        #expect(try value("process_max_fds") > value("process_open_fds"))
        #expect(try value("process_resident_memory_bytes") > 1_000_000)
        #expect(try value("process_virtual_memory_bytes") > value("process_resident_memory_bytes"))
        let now = Date().timeIntervalSince1970
        #expect(try abs(now - value("process_start_time_seconds")) < 86_400)
    }

    @Test func omitsNumbersThatTheSystemDoesNotReport() {
        let collector = ProcessCollector(
            read: { ProcessStatistics(openDescriptors: 7) },
            startTime: nil,
            maximumAge: .seconds(1),
            timeSource: .system
        )
        #expect(collector.collectNow().map(\.name) == ["process_open_fds"])
    }

    /// Gathers in quick succession share one poll; the next poll follows after the maximum age.
    @Test func rereadsAfterTheMaximumAge() {
        let clock = TestClock()
        let readings = Mutex(0.0)
        let collector = ProcessCollector(
            read: {
                readings.withLock { readings in
                    readings += 1
                    return ProcessStatistics(openDescriptors: readings)
                }
            },
            startTime: nil,
            maximumAge: .seconds(1),
            timeSource: clock
        )
        for (time, reading) in [(0, 1.0), (0, 1), (999, 1), (1000, 2), (1999, 2), (5000, 3)] {
            clock.advance(by: .milliseconds(time) - clock.now.monotonic)
            #expect(collector.collectNow().first?.metrics == [Metric(value: reading)])
        }
    }

    @Test func exposesTheBuild() throws {
        let collector = try BuildInfoCollector(
            program: "winpower_exporter",
            version: "1.2.0",
            revision: "abc\"",
            swiftVersion: "6.3.1"
        )
        #expect(
            String(decoding: TextFormat.encode(collector.collectNow()), as: UTF8.self) == #"""
                # HELP winpower_exporter_build_info A constant 1, labelled with the version, the revision and the Swift version of the build.
                # TYPE winpower_exporter_build_info gauge
                winpower_exporter_build_info{revision="abc\"",swift_version="6.3.1",version="1.2.0"} 1

                """#
        )
        #expect(throws: MetricError.self) {
            try BuildInfoCollector(program: "a-b", version: "", revision: "", swiftVersion: "")
        }
    }
}

#if os(Linux)
/// Parsing of /proc.
struct LinuxProcessStatisticsTests {
    @Test func readsStat() {
        var statistics = ProcessStatistics()
        statistics.readStat(
            "42 (a) b (c)) S 1 42 42 0 -1 4194560 100 0 0 0 250 150 0 0 20 0 4 0 12345 5000000 300 18446744073709551615"
        )
        #expect(statistics.cpuSeconds == 4)
        #expect(statistics.virtualMemoryBytes == 5_000_000)
        #expect(statistics.residentMemoryBytes.map { $0 >= 300 * 4096 } == true)
    }

    @Test(arguments: ["", "42", "42 (a", "42 (a)", "42 (a) S x y z", ") ) )"])
    func ignoresADamagedStat(_ text: String) {
        var statistics = ProcessStatistics()
        statistics.readStat(text)
        #expect(statistics == ProcessStatistics())
    }

    @Test func readsLimits() {
        var statistics = ProcessStatistics()
        statistics.readLimits(
            """
            Limit                     Soft Limit           Hard Limit           Units
            Max open files            1024                 1048576              files
            Max address space         unlimited            unlimited            bytes
            """
        )
        #expect(statistics.maximumDescriptors == 1024)
        #expect(statistics.maximumVirtualMemoryBytes == 0x1p64)
        var damaged = ProcessStatistics()
        damaged.readLimits("Max open files\nMax address space   \nMax\n")
        #expect(damaged == ProcessStatistics())
    }

    @Test func readsNetstat() {
        var statistics = ProcessStatistics()
        statistics.readNetstat("TcpExt: A B\nTcpExt: 1 2\nIpExt: X InOctets OutOctets\nIpExt: 9 100 200\n")
        #expect(statistics.receivedBytes == 100)
        #expect(statistics.transmittedBytes == 200)
        var damaged = ProcessStatistics()
        damaged.readNetstat("IpExt: InOctets OutOctets\n")
        damaged.readNetstat("IpExt: InOctets OutOctets\nIpExt: 1x\n")
        #expect(damaged == ProcessStatistics())
    }

    @Test func returnsNilForAMissingFile() {
        #expect(ProcFile.text("/proc/self/not-there") == nil)
        #expect(ProcFile.text("/proc/self") == nil)
    }
}
#endif
