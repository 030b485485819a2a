// SPDX-License-Identifier: MIT

import Testing
import WPCore
@testable import WPFleet
import WPHistory
import WPHost
import WPLogging
import WPModel
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct ReportIntakeTests {
    @Test func `publishes a snapshot immediately and ignores its repeat`() async throws {
        let hub = try await FleetUnderTest()
        #expect(try hub.intake.ingestNode(hub.node("a", cpu: 12.5)) == .init(recorded: 1, duplicates: 0))
        #expect(try hub.intake.ingestNode(hub.node("a", cpu: 12.5)) == .init(recorded: 0, duplicates: 1))
        let list = try await hub.json("clusters/default/node-metrics")
        let nodes = try #require(list["nodes"] as? [String: [String: Any]])
        #expect(nodes["a"]?["state"] as? String == "online")
        #expect((nodes["a"]?["cpu"] as? [String: Any])?["usage_percent"] as? Double == 12.5)
        let summary = try #require(list["summary"] as? [String: Double])
        #expect(summary["total_nodes"] == 1.0)
        #expect(summary["avg_cpu_usage"] == 12.5)
    }

    @Test func `sums bytes in the summary`() async throws {
        let hub = try await FleetUnderTest()
        for name in ["a", "b"] {
            let snapshot = """
                {"node_name":"\(name)","timestamp":"\(hub.time(0))","memory":{"total":1000,"used":250},\
                "disks":[{"device":"sda","mount_point":"/","total":4000,"used":3000}],"networks":[],"processes":[]}
                """
            #expect(try hub.intake.ingestNode(Array(snapshot.utf8)).recorded == 1)
        }
        let summary = try #require(try await hub.json("clusters/default/node-metrics")["summary"] as? [String: Double])
        #expect(summary["total_memory"] == 2000.0 && summary["used_memory"] == 500.0)
        #expect(summary["total_disk"] == 8000.0 && summary["used_disk"] == 6000.0)
    }

    @Test func `accepts the older format`() async throws {
        let hub = try await FleetUnderTest()
        let body =
            "{\"node_name\":\"old\",\"timestamp\":\"\(hub.time())\",\"cpu\":{\"usage_percent\":7,\"load_avg_1\":0.5},"
            + "\"memory\":{\"total_bytes\":1024},\"top_processes\":[]}"
        #expect(try hub.intake.ingestNode(Array(body.utf8)).recorded == 1)
        let node = try await hub.json("clusters/default/node-metrics/old")
        #expect((node["cpu"] as? [String: Any])?["load_1"] as? Double == 0.5)
        #expect((node["memory"] as? [String: Any])?["total"] as? Double == 1024.0)
    }

    @Test(arguments: [301.0, 86_400, 1e9]) func `corrects a time far in the future`(_ lead: Double)
        async throws
    {
        let hub = try await FleetUnderTest()
        for number in 0..<3 {
            #expect(try hub.intake.ingestNode(hub.node("a", lead)).recorded == 1, "\(number)")
            #expect(try hub.intake.ingestUPSes(hub.ups("u", lead)).recorded == 1)
            hub.clock.advance(by: .seconds(5))
        }
        #expect(try hub.intake.ingestNode(hub.node("a", cpu: 7)).recorded == 1)
        #expect(try hub.intake.ingestUPSes(hub.ups("u", watts: 777)).recorded == 1)
        #expect(hub.intake.statistics.skews[ByteString("node/a")] == 0)
        let buckets = try await hub.fleet.history.buckets(of: HistorySubject(kind: .ups, name: "u"), from: 0, to: .max)
        #expect(buckets.map(\.samples).reduce(0, +) == 4)
        #expect(Double(buckets.last?.start ?? 0) <= hub.now)
        #expect(hub.fleet.entries(of: .ups).first?.device?[.loadWatts] == 777)
    }

    @Test func `rejects a time before the retention`() async throws {
        let hub = try await FleetUnderTest()
        #expect(throws: ReportIntake.RejectionReason.expired) { try hub.intake.ingestNode(hub.node("a", -31 * 86_400)) }
    }

    @Test func `corrects a clock that is ahead and reports it once`() async throws {
        let hub = try await FleetUnderTest()
        for step in 0..<3 {
            #expect(try hub.intake.ingestNode(hub.node("a", 120)).recorded == 1, "\(step)")
            hub.clock.advance(by: .seconds(5))
        }
        #expect(abs((hub.intake.statistics.skews[ByteString("node/a")] ?? 0) - 120) < 0.01)
        let seen = try #require(hub.fleet.history.latest(of: HistorySubject(kind: .node, name: "a"))?.time)
        #expect(abs(seen - (hub.now - 5)) < 0.01)
        #expect(hub.log.messages(.warn).count == 1)
    }

    @Test func `detects a clock that is behind after ten reports`() async throws {
        let hub = try await FleetUnderTest()
        for step in 0..<11 {
            _ = try hub.intake.ingestNode(hub.node("a", -20))
            #expect((hub.intake.statistics.skews[ByteString("node/a")] != 0) == (step >= 9))
            hub.clock.advance(by: .seconds(5))
        }
        let seen = try #require(hub.fleet.history.latest(of: HistorySubject(kind: .node, name: "a"))?.time)
        #expect(abs(seen - (hub.now - 5)) < 0.01)
    }

    @Test func `ingests reports queued during an outage in order`() async throws {
        let hub = try await FleetUnderTest()
        for age in stride(from: 3600.0, through: 0, by: -300) {
            #expect(try hub.intake.ingestNode(hub.node("a", -age, cpu: age / 100)).recorded == 1)
        }
        #expect(try hub.intake.ingestNode(hub.node("a", -1800)).duplicates == 1)
        #expect(abs(hub.intake.statistics.skews[ByteString("node/a")] ?? 0) < 0.01)
        let history = try await hub.json("clusters/default/node-metrics/a/history?hours=2")
        #expect(history["points"] as? Double == 13.0)
    }

    @Test(arguments: ["", ".", "..", "a\\u0000b", "a\\nb", String(repeating: "x", count: 257)])
    func `rejects an invalid name`(_ name: String) async throws {
        let hub = try await FleetUnderTest()
        #expect(throws: ReportIntake.RejectionReason.name) { try hub.intake.ingestNode(hub.node(name)) }
    }

    @Test(arguments: [
        "", "null", "[]", "{", "{\"node_name\":1,\"timestamp\":\"x\"}", "{\"node_name\":\"a\"}",
        "{\"node_name\":\"a\",\"timestamp\":\"yesterday\"}", String(repeating: "[", count: 100_000),
    ])
    func `rejects malformed reports with the reason`(_ body: String) async throws {
        let hub = try await FleetUnderTest()
        let error = #expect(throws: ReportIntake.Malformed.self) { try hub.intake.ingestNode(Array(body.utf8)) }
        #expect(error?.description.isEmpty == false)
        #expect(hub.intake.statistics.rejectedReports[.malformed] == 1)
    }

    @Test func `omits and counts impossible values`() async throws {
        let hub = try await FleetUnderTest()
        #expect(try hub.intake.ingestNode(hub.node("a", cpu: -500)).recorded == 1)
        #expect(try hub.intake.ingestNode(hub.node("b", cpu: 100.3)).recorded == 1)
        for id in ["u", "v"] { _ = try hub.intake.ingestUPSes(hub.ups(id, watts: 1e308, energy: -1)) }
        _ = try hub.intake.ingestUPSes(hub.ups("w", watts: 300, energy: 5))
        #expect(hub.intake.statistics.implausible == 5)
        #expect(hub.fleet.entries(of: .node).map(\.node?.cpu?.usagePercent) == [nil, 100.3])
        #expect(hub.fleet.entries(of: .ups).map { $0.device?[.loadWatts] } == [nil, nil, 300])
        let points = try await hub.fleet.history.buckets(of: HistorySubject(kind: .ups, name: "u"), from: 0, to: .max)
        #expect(points.first?[.loadWatts] == nil)
        let summary = try await hub.json("clusters/default/ups")["summary"] as? [String: Double]
        #expect(summary?["load_watts"] == 300)
        #expect(summary?["energy_watt_hours"] == 5)
    }

    /// Values from WinPower are not validated, so their sum may overflow.
    @Test func `omits a sum that overflows`() async throws {
        let hub = try await FleetUnderTest()
        for id in ["u", "v"] {
            var device = UPSSnapshot(id: id, readAt: hub.time())
            device[.loadWatts] = 1.5e308
            _ = hub.fleet.record(device, at: .init(time: hub.now))
        }
        let summary = try #require(try await hub.json("clusters/default/ups")["summary"] as? [String: Double])
        #expect(summary["total_ups"] == 2)
        #expect(summary["load_watts"] == nil)
    }

    /// A report of several devices at one moment.
    private func report(_ hub: FleetUnderTest, _ devices: [(id: String, readAt: String)], site: String = "s") -> [UInt8]
    {
        let list = devices.map { "{\"id\":\"\($0.id)\",\"read_at\":\"\($0.readAt)\",\"load_watts\":1}" }
        let text = "{\"site\":\"\(site)\",\"timestamp\":\"\(hub.time())\",\"devices\":[\(list.joined(separator: ","))]}"
        return Array(text.utf8)
    }

    @Test func `a full hub accepts known devices and rejects the others individually`() async throws {
        let hub = try await FleetUnderTest(maxSubjects: 2)
        #expect(try hub.intake.ingestUPSes(report(hub, [("a", hub.time()), ("b", hub.time())])).recorded == 2)
        hub.clock.advance(by: .seconds(5))
        for _ in 0..<2 {
            let receipt = try hub.intake.ingestUPSes(
                report(hub, [("a", hub.time()), ("c", hub.time()), ("b", hub.time())])
            )
            #expect(receipt.recorded == 2)
            #expect(receipt.rejections == [.init(id: "c", reason: .tooMany)])
            hub.clock.advance(by: .seconds(5))
        }
        #expect(hub.intake.statistics.rejectedDevices == [.tooMany: 2])
        #expect(throws: ReportIntake.RejectionReason.tooMany) {
            try hub.intake.ingestUPSes(report(hub, [("c", hub.time())]))
        }
        #expect(throws: ReportIntake.RejectionReason.tooMany) { try hub.intake.ingestNode(hub.node("n")) }
        // It is logged once, not for each report.
        #expect(hub.log.messages(.warn).filter { $0.contains("maximum number") }.count == 1)
        // Once a subject is removed, a new one is accepted.
        #expect(try await hub.fleet.history.remove(HistorySubject(kind: .ups, site: "s", name: "a")))
        #expect(hub.fleet.entries(of: .ups).map(\.subject.name) == ["b"])
        #expect(try hub.intake.ingestNode(hub.node("n")).recorded == 1)
    }

    @Test func `one invalid device does not reject the report`() async throws {
        let hub = try await FleetUnderTest()
        let receipt = try hub.intake.ingestUPSes(
            report(hub, [("a", hub.time()), ("..", hub.time()), ("b", "yesterday"), ("c", hub.time())])
        )
        #expect(receipt.recorded == 2)
        #expect(receipt.rejections == [.init(id: "..", reason: .name), .init(id: "b", reason: .malformed)])
        #expect(throws: ReportIntake.RejectionReason.name) {
            try hub.intake.ingestUPSes(report(hub, [("..", hub.time())]))
        }
    }

    @Test func `forgets senders without accepted reports`() async throws {
        let hub = try await FleetUnderTest(maxSubjects: 100)
        for number in 0..<3000 { _ = try hub.intake.ingestUPSes(report(hub, [], site: "invented-\(number)")) }
        for number in 0..<3000 { _ = try? hub.intake.ingestNode(hub.node("invented-\(number)")) }
        #expect(hub.intake.statistics.skews.count == 100)
        // Senders that are silent for a day are forgotten.
        hub.clock.advance(by: .seconds(2 * 86_400))
        _ = try hub.intake.ingestNode(hub.node("invented-1"))
        #expect(hub.intake.statistics.skews.count == 1)
    }

    @Test func `treats canonically equivalent names as different senders`() async throws {
        let hub = try await FleetUnderTest()
        let (composed, decomposed) = ("caf\u{E9}", "cafe\u{301}")
        #expect(try hub.intake.ingestUPSes(hub.ups(composed, watts: 100, energy: 10)).recorded == 1)
        #expect(try hub.intake.ingestUPSes(hub.ups(decomposed, watts: 300, energy: 30)).recorded == 1)
        #expect(hub.fleet.entries(of: .ups).compactMap { $0.device?[.loadWatts] } == [300, 100])
        #expect(hub.fleet.entries(of: .ups, named: composed, site: nil).compactMap { $0.device?[.loadWatts] } == [100])
        // A token for one of the two names cannot report for the other.
        let sender = ReportIntake.Sender.node(ByteString(composed))
        #expect(try hub.intake.ingestNode(hub.node(composed), from: sender).recorded == 1)
        #expect(throws: ReportIntake.RejectionReason.forbidden) {
            try hub.intake.ingestNode(hub.node(decomposed), from: sender)
        }
    }

    @Test func `a silent subject becomes stale, then offline`() async throws {
        let hub = try await FleetUnderTest()
        _ = try hub.intake.ingestNode(hub.node("a"))
        let subject = HistorySubject(kind: .node, name: "a")
        #expect(hub.fleet.freshness(of: subject) == .online)
        hub.clock.advance(by: .seconds(31))
        #expect(hub.fleet.freshness(of: subject) == .stale)
        hub.clock.advance(by: .seconds(100))
        #expect(hub.fleet.freshness(of: subject) == .offline)
        let summary = try #require(try await hub.json("clusters/default/node-metrics")["summary"] as? [String: Double])
        #expect(summary["offline_nodes"] == 1.0)
        #expect(summary["avg_cpu_usage"] == nil)
    }

    @Test func `computes rates from the counters of two snapshots`() async throws {
        let hub = try await FleetUnderTest()
        for (offset, bytes) in [(-20.0, 1000), (-10, 6000), (0, 500)] {
            let network = "{\"interface\":\"eth0\",\"status\":\"up\",\"rx_bytes\":\(bytes),\"rx_rate\":1}"
            let body = "{\"node_name\":\"a\",\"timestamp\":\"\(hub.time(offset))\",\"networks\":[\(network)]}"
            _ = try hub.intake.ingestNode(Array(body.utf8))
        }
        let subject = HistorySubject(kind: .node, name: "a")
        let buckets = try await hub.fleet.history.buckets(of: subject, from: 0, to: .max)
        let received = buckets.compactMap { $0[.networkReceive] }
        // 500 bytes per second between the first two; otherwise the node's own rate.
        #expect(received.map(\.maximum).max() == 500)
        #expect(received.map(\.minimum).min() == 1)
    }
}
