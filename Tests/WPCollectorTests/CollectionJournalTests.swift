// SPDX-License-Identifier: MIT

import Testing
import WPCollector
import WPLogging
import WPModel
import WPTestKit

@Suite struct CollectionJournalTests {
    private let bench: Bench

    init() throws {
        bench = try Bench()
    }

    @Test func logsTheStartAndEndOfAnOutageOnce() async {
        bench.source.answer([bench.reading("a")])
        for _ in 0..<20 { bench.source.fail(Bench.failure(.connect)) }
        bench.source.answer([bench.reading("a")])
        for _ in 0..<22 {
            await bench.collector.collect()
            bench.clock.advance(by: .seconds(5))
        }
        #expect(
            bench.log.messages(.info) == [
                "Device data collected", "Collection failed", "Collection recovered", "Device data collected",
            ]
        )
        let recovered = bench.log.records.first { $0.message == "Collection recovered" }
        #expect(recovered?.fields["failed_cycles"] == .int(20))
        #expect(recovered?.fields["outage_s"] == .double(100))
    }

    @Test func logsTheFirstSuccessAfterAnyOutage() async {
        bench.source.answer([bench.reading("a")])
        bench.source.fail(Bench.failure(.connect))
        bench.source.answer([bench.reading("a")])
        for _ in 0..<3 {
            await bench.collector.collect()
            bench.clock.advance(by: .seconds(5))
        }
        let collected = bench.log.records.filter { $0.message == "Device data collected" }
        #expect(collected.map(\.level) == [.info, .info])
    }

    @Test func includesTheCycleNumberInRecords() async {
        for _ in 0..<3 {
            bench.source.answer([bench.reading("a")])
            await bench.collector.collect()
        }
        #expect(bench.log.records.map { $0.fields["cycle"] } == [.int(1), .int(2), .int(3)])
    }

    @Test func logsANewReason() async {
        bench.source.fail(Bench.failure(.connect))
        bench.source.fail(Bench.failure(.connect))
        bench.source.fail(Bench.failure(.auth))
        for _ in 0..<3 { await bench.collector.collect() }
        let reasons = bench.log.records.filter { $0.level == .error }.map { $0.fields["reason"] }
        #expect(reasons == [.string("connect"), .string("auth")])
    }

    @Test func logsNothingWithoutChanges() async {
        for _ in 0..<5 {
            bench.source.answer([bench.reading("a")])
            await bench.collector.collect()
        }
        #expect(bench.log.messages(.info) == ["Device data collected"])
        #expect(bench.log.messages().count == 5)
    }

    @Test func summarizesDurationsOncePerMinute() async {
        let clock = bench.clock
        for cycle in 0..<25 {
            let readings = [bench.reading("a")]
            bench.source.answer {
                clock.advance(by: .milliseconds(10 * (cycle + 1)))
                return readings
            }
            await bench.collector.collect()
            clock.advance(by: .milliseconds(5000 - 10 * (cycle + 1)))
        }
        let lines = bench.log.records.filter { $0.message == "Device data collected" }
        #expect(lines.count == 25)
        let summaries = lines.filter { $0.level == .info }
        #expect(summaries.map { $0.fields["cycles"] } == [.int(1), .int(12), .int(12)])
        #expect(lines.indices.filter { lines[$0].level == .info } == [0, 12, 24])
        #expect(summaries.last?.fields["duration_ms"] == .milliseconds(.milliseconds(250)))
        #expect(summaries.last?.fields["duration_min_ms"] == .milliseconds(.milliseconds(140)))
        #expect(summaries.last?.fields["duration_avg_ms"] == .milliseconds(.milliseconds(195)))
        #expect(summaries.last?.fields["duration_max_ms"] == .milliseconds(.milliseconds(250)))
        #expect(lines[1].fields["cycles"] == nil)
    }

    @Test func logsDeviceChanges() async {
        var changed = bench.reading("a", alias: "Renamed")
        changed.isConnected = false
        changed.mode = OperatingMode(code: 4)
        changed.faultCode = "E07"
        changed.alarms = [.init(id: "7", text: "Battery low")]
        var back = changed
        back.isConnected = true
        back.mode = OperatingMode(code: 3)
        back.faultCode = nil
        back.alarms = []
        bench.source.answer([bench.reading("a")])
        bench.source.answer([changed, bench.reading("b")])
        bench.source.answer([back])
        for _ in 0..<3 { await bench.collector.collect() }
        #expect(
            bench.log.messages(.info).dropFirst() == [
                "Device renamed", "Device disconnected", "Device mode changed", "Device fault", "Device alarm raised",
                "Device appeared",
                "Device connected", "Device mode changed", "Device alarm cleared", "Device left the list",
            ]
        )
        let mode = bench.log.records.first { $0.message == "Device mode changed" }
        #expect(mode?.level == .warn)
        #expect(mode?.fields["to"] == .string("battery"))
        #expect(mode?.fields["device_id"] == .string("a"))
    }

    /// A load without protection, or soon without power.
    @Test(arguments: OperatingMode.State.allCases.filter { $0 != .line })
    func warnsAboutAModeThatNeedsAttention(_ state: OperatingMode.State) async {
        var changed = bench.reading("a")
        changed.mode = (0..<20).map { OperatingMode(code: $0) }.first { $0.state == state }
        #expect(changed.mode?.state == state)
        bench.source.answer([bench.reading("a")])
        bench.source.answer([changed])
        for _ in 0..<2 { await bench.collector.collect() }
        let line = bench.log.records.first { $0.message == "Device mode changed" }
        #expect(line?.level == ([.battery, .fault, .bypass].contains(state) ? .warn : .info))
    }

    @Test func logsFiftyDeviceLinesWithoutASummary() async {
        bench.source.answer([])
        bench.source.answer((0..<50).map { bench.reading("ups-\($0)") })
        await bench.collector.collect()
        await bench.collector.collect()
        #expect(bench.log.messages(.info).filter { $0 == "Device appeared" }.count == 50)
        #expect(!bench.log.records.contains { $0.message.hasPrefix("More device changes") })
    }

    @Test func limitsDeviceLinesPerCycle() async {
        bench.source.answer([])
        bench.source.answer((0..<1000).map { bench.reading("ups-\($0)") })
        await bench.collector.collect()
        await bench.collector.collect()
        let messages = bench.log.messages(.info)
        #expect(messages.filter { $0 == "Device appeared" }.count == 50)
        let rest = bench.log.records.first { $0.message == "More device changes than are logged in one cycle" }
        #expect(rest?.fields["not_logged"] == .int(950))
    }
}
