// SPDX-License-Identifier: MIT

import Testing
import WPCore
import WPHistory
import WPHost
import WPHTTP
import WPLogging
import WPModel
import WPTestKit

@testable import WPFleet

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The limits of requests, reports and documents.
@Suite struct FleetLimitsTests {
    // MARK: Requests

    @Test(
        arguments: [
            ("0", 0), ("253402300799", 253_402_300_799), ("253402300800", nil), ("-1", nil),
            ("1970-01-01T00:00:00Z", 0), ("9999-12-31T23:59:59.9Z", 253_402_300_799), ("1969-12-31T23:59:59Z", nil),
            ("2025-06-15T17:06:40+02:00", 1_750_000_000), ("", nil),
        ] as [(String, Int64?)]
    )
    func `a time is from 1970 to 9999`(_ text: String, _ seconds: Int64?) throws {
        let query = try APIQuery("from=\(text)", allowed: ["from"])
        guard let seconds else {
            #expect(throws: APIError.self) { try query.time("from") }
            return
        }
        #expect(try query.time("from") == seconds)
    }

    @Test(
        arguments: [
            ("10", 10), ("20", 20), ("000000019", 19), ("9", nil), ("21", nil), ("0000000019", nil), ("+15", nil),
            ("-15", nil), ("1/", nil), ("1:", nil), ("", nil),
        ] as [(String, Int?)]
    )
    func `an integer has up to nine digits`(_ text: String, _ number: Int?) throws {
        let query = try APIQuery("limit=\(text.replacing("+", with: "%2B"))", allowed: ["limit"])
        guard let number else {
            #expect(throws: APIError.self) { try query.integer("limit", 10...20) }
            return
        }
        #expect(try query.integer("limit", 10...20) == number)
    }

    @Test func `a parameter without a value is empty`() throws {
        #expect(try APIQuery("site", allowed: ["site"]).text("site") == "")
        #expect(try APIQuery("site=a=b", allowed: ["site"]).text("site") == "a=b")
        #expect(try APIQuery("", allowed: []).text("site") == nil)
    }

    private func range(_ query: String, interval: Int64 = 300, now: Int64 = 1_750_000_000) throws -> [Int64] {
        let allowed: Set<String> = ["from", "to", "step", "hours"]
        let range = try HistoryRange(try APIQuery(query[...], allowed: allowed), now: now, interval: interval)
        return [range.from, range.to, range.step, range.hours]
    }

    @Test(
        arguments: [
            ("", [1_749_913_500, 1_750_000_001, 300, 24]), ("hours=1", [1_749_996_300, 1_750_000_001, 300, 1]),
            ("to=1749999900", [1_749_913_500, 1_749_999_900, 300, 24]),
            ("to=1750000199", [1_749_913_500, 1_750_000_199, 300, 24]),
            ("hours=720", [1_747_407_900, 1_750_000_001, 300, 720]), ("to=600", [0, 600, 300, 1]),
            ("from=0&to=3601", [0, 3601, 300, 2]), ("from=899&to=900", [600, 900, 300, 1]),
            ("from=0&to=3600&step=1", [0, 3600, 300, 1]), ("from=0&to=3600&step=301", [0, 3600, 600, 1]),
            ("from=0&to=3600&step=600", [0, 3600, 600, 1]),
            // At most 11000 points, in whole intervals.
            ("from=0&to=3300000", [0, 3_300_000, 300, 917]), ("from=0&to=3300001", [0, 3_300_001, 600, 917]),
            ("from=0&to=3300299&step=300", [0, 3_300_299, 300, 917]),
        ] as [(String, [Int64])]
    )
    func `a range has whole intervals`(_ query: String, _ expected: [Int64]) throws {
        #expect(try range(query) == expected)
    }

    @Test(arguments: ["from=0&to=3300300&step=300", "from=5&to=5", "hours=0", "hours=721"])
    func `rejects an invalid range`(_ query: String) {
        #expect(throws: APIError.self) { try range(query) }
    }

    @Test func `compresses documents of at least one kilobyte`() async throws {
        let hub = try await FleetUnderTest()
        let builder = DocumentBuilder(hub.fleet, takesReports: false)
        for (count, isCompressed) in [(1023, false), (1024, true)] {
            let document = FleetAPI.Document(bytes: [UInt8](repeating: 0x20, count: count))
            let request = HTTPRequest(target: "/", headers: ["Accept-Encoding": "gzip"])
            let response = try await builder.response(document, to: request)
            #expect((response.headers["Content-Encoding"] == "gzip") == isCompressed)
            #expect(response.headers["ETag"]?.hasSuffix("-gzip\"") == isCompressed)
        }
    }

    @Test func `averages the values of nodes`() async throws {
        let hub = try await FleetUnderTest()
        for (name, cpu) in [("a", 20.0), ("b", 40)] { _ = try hub.intake.ingestNode(hub.node(name, cpu: cpu)) }
        let list = try await hub.json("clusters/default/node-metrics")
        let summary = try #require(list["summary"] as? [String: Double])
        #expect(summary["avg_cpu_usage"] == 30 && summary["max_cpu_usage"] == 40)
    }

    @Test func `trends have one to a hundred keys`() async throws {
        let hub = try await FleetUnderTest()
        let overview = try await hub.json("clusters/default/overview?since=0")
        let epoch = try #require(overview["epoch"] as? String)
        for (count, status) in [(1, 200), (100, 200), (101, 400)] {
            let keys = Array(repeating: "1", count: count).joined(separator: ",")
            let response = try await hub.get("clusters/default/trends?epoch=\(epoch)&keys=\(keys)")
            #expect(response.status.code == status, "\(count) keys")
        }
        #expect(try await hub.get("clusters/default/overview?since=999999999").status.code == 200)
    }

    // MARK: Reports

    @Test(arguments: [(256, true), (257, false)])
    func `a name has up to 256 bytes`(_ count: Int, _ isAccepted: Bool) async throws {
        let hub = try await FleetUnderTest()
        let receipt = try? hub.intake.ingestNode(hub.node(String(repeating: "x", count: count)))
        #expect((receipt?.recorded == 1) == isAccepted)
    }

    @Test func `repeats the warning of a full hub every hour`() async throws {
        let hub = try await FleetUnderTest(maxSubjects: 1)
        _ = try hub.intake.ingestNode(hub.node("a"))
        for (step, count) in [(0.0, 1), (3599, 1), (1, 2)] {
            hub.clock.advance(by: .seconds(step))
            #expect(throws: ReportIntake.RejectionReason.tooMany) { try hub.intake.ingestNode(hub.node("b")) }
            #expect(hub.log.messages(.warn).count { $0.contains("maximum number") } == count)
        }
        #expect(hub.intake.statistics.rejectedReports == [.tooMany: 3])
        #expect(hub.intake.statistics.received == ["node": 1])
    }

    @Test func `counts the received reports and their repeats`() async throws {
        let hub = try await FleetUnderTest()
        for _ in 0..<3 { _ = try hub.intake.ingestUPSes(hub.ups("u")) }
        #expect(hub.intake.statistics.received == ["ups": 3])
        #expect(hub.intake.statistics.duplicates == 2)
    }

    @Test func `logs a wrong clock with one decimal place`() async throws {
        let hub = try await FleetUnderTest()
        _ = try hub.intake.ingestNode(hub.node("a", 120.26))
        let record = try #require(hub.log.records.first { $0.level == .warn })
        #expect(record.fields["sender"] == "node/a")
        #expect(record.fields["ahead_seconds"] == .double(120.3))
    }

    // MARK: Freshness

    @Test func `the default limits depend on the report interval`() {
        #expect(Fleet.Configuration().staleAfter == .seconds(30) && Fleet.Configuration().offlineAfter == .seconds(120))
        for (interval, stale, offline) in [(1, 30, 120), (10, 30, 120), (11, 33, 132), (60, 180, 720)] {
            let found = Fleet.Configuration(cluster: "c", reportInterval: .seconds(interval), tariff: nil)
            #expect(found.staleAfter == .seconds(stale) && found.offlineAfter == .seconds(offline))
        }
    }

    @Test func `a subject is stale after the limit, not at it`() async throws {
        let hub = try await FleetUnderTest()
        _ = try hub.intake.ingestNode(hub.node("a"))
        let subject = HistorySubject(kind: .node, name: "a")
        var states: [Fleet.Freshness?] = []
        for step in [30.0, 1, 89, 1] {
            hub.clock.advance(by: .seconds(step))
            states.append(hub.fleet.freshness(of: subject))
        }
        #expect(states == [.online, .stale, .stale, .offline])
        #expect(hub.fleet.counts(of: .node) == [.offline: 1])
    }

    @Test(arguments: [(119.0, nil), (120, nil), (121, "offline")])
    func `silence is an event after the limit, not at it`(_ seconds: Double, _ event: String?) async throws {
        let hub = try await FleetUnderTest()
        _ = try hub.intake.ingestUPSes(hub.ups("u"))
        hub.clock.advance(by: .seconds(seconds))
        _ = try hub.intake.ingestUPSes(hub.ups("u"))
        let rows = try await hub.json("clusters/default/events")["events"] as? [[String: Any]]
        #expect(rows?.map { $0["event"] as? String } == (event.map { [$0] } ?? []))
    }

    @Test func `an older report does not make a subject less fresh`() async throws {
        let hub = try await FleetUnderTest()
        _ = try hub.intake.ingestUPSes(hub.ups("u"))
        _ = try hub.intake.ingestUPSes(hub.ups("u", -3600))
        #expect(hub.fleet.freshness(of: HistorySubject(kind: .ups, name: "u")) == .online)
    }

    @Test func `weights the load of the fleet by the rating`() async throws {
        let hub = try await FleetUnderTest()
        func device(_ id: String, _ values: [(UPSQuantity, Double)], mode: String = "line") -> UPSSnapshot {
            var device = UPSSnapshot(id: id, readAt: hub.time())
            device.mode = mode
            for (quantity, value) in values { device[quantity] = value }
            return device
        }
        for _ in 0..<4 {
            let devices = [
                device("a", [(.ratedVoltAmperes, 1000), (.loadPercent, 50), (.batteryRuntime, 900)], mode: "battery"),
                device("b", [(.ratedVoltAmperes, 3000), (.loadPercent, 10), (.batteryRuntime, 700), (.loadWatts, 7)]),
                device("c", [(.ratedVoltAmperes, 0), (.loadPercent, 90)]),
                device("d", [(.loadPercent, 90), (.loadWatts, 5), (.connected, 0)]),
            ]
            for device in devices { _ = hub.fleet.record(device, at: .init(time: hub.now)) }
            hub.clock.advance(by: .seconds(10))
        }
        let history = try await hub.json("clusters/default/history?hours=1&step=1h")
        let point = try #require((history["history"] as? [[String: Any]])?.first)
        #expect(point["load_percent"] as? Double == 20)
        #expect(point["load_watts"] as? Double == 7)
        #expect(point["battery_runtime_seconds"] as? Double == 700)
        #expect(point["on_battery"] as? Double == 0.33333334)
    }

    @Test(arguments: [(9.0, false), (10, true)])
    func `looks for silent subjects every ten seconds`(_ seconds: Double, _ isDue: Bool) async throws {
        let hub = try await FleetUnderTest()
        _ = try hub.intake.ingestUPSes(hub.ups("gone"))
        hub.clock.advance(by: .seconds(115))
        // This review precedes the limit.
        _ = try hub.intake.ingestUPSes(hub.ups("other"))
        hub.clock.advance(by: .seconds(seconds))
        _ = try hub.intake.ingestUPSes(hub.ups("other"))
        let rows = try await hub.json("clusters/default/events")["events"] as? [Any]
        #expect(rows?.count == (isDue ? 1 : 0))
    }

    // MARK: Values

    @Test func `checks every value of a node`() {
        var node = NodeSnapshot(nodeName: "n", timestamp: "")
        node.uptime = 0
        var cpu = NodeSnapshot.CPU()
        (cpu.usagePercent, cpu.load1, cpu.perCore) = (-0.5, 0, [0, 101])
        node.cpu = cpu
        var plausibility = Plausibility()
        plausibility.check(&node)
        #expect(plausibility.removed == 0 && node.cpu?.perCore == [0, 101] && node.uptime == 0)
        (cpu.usagePercent, cpu.load1, cpu.perCore) = (102, -1, [0, 102])
        (node.cpu, node.uptime) = (cpu, -1)
        plausibility.check(&node)
        #expect(plausibility.removed == 4)
        #expect(node.cpu?.usagePercent == nil && node.cpu?.load1 == nil && node.cpu?.perCore == nil)
        #expect(node.uptime == nil)
    }

    @Test func `checks every value of a phase`() throws {
        var phase = try JSONDecoder().decode(UPSSnapshot.Phase.self, from: Data(#"{"number":1}"#.utf8))
        for quantity in PhaseQuantity.all { quantity.set(1e300, in: &phase.values) }
        var device = UPSSnapshot(id: "u", readAt: "")
        device.phases = [phase]
        var plausibility = Plausibility()
        plausibility.check(&device)
        let limited = PhaseQuantity.all.filter { $0.range != nil }
        #expect(!limited.isEmpty && plausibility.removed == limited.count)
        let values = try #require(device.phases?.first?.values)
        #expect(limited.allSatisfy { $0.value(of: values) == nil })
    }

    @Test(arguments: [(30.0, false), (29.9, true)])
    func `a battery is low below 30 percent`(_ charge: Double, _ isLow: Bool) {
        var snapshot = UPSSnapshot(id: "u", readAt: "")
        snapshot[.batteryPercent] = charge
        var detector = EventDetector()
        let found = detector.take(HistorySubject(kind: .ups, name: "u"), snapshot, at: 1, afterSilence: nil)
        #expect(found.contains { $0.key.kind == .lowBattery } == isLow)
    }

    @Test func `a text has up to 200 bytes`() {
        let text = String(repeating: "x", count: 200)
        #expect(EventDetector.bounded(text) == text)
        #expect(EventDetector.bounded(text + "y") == text)
        #expect(EventDetector.bounded(String(text.dropLast()) + "é") == String(text.dropLast()))
        #expect(EventDetector.maxAlarms == 20)
    }

    @Test(arguments: [(1000.0, 0.3, 0.3), (333.333, 0.1, 0.0333), (1, 0.5, 0.0005), (1, 0.04, 0)])
    func `rounds a cost to four decimal places`(_ wattHours: Double, _ price: Double, _ cost: Double) {
        #expect(Tariff(price).cost(wattHours) == cost)
    }

    // MARK: The overview

    private func entry(_ name: String, _ values: [(UPSQuantity, Double)] = []) -> Fleet.Entry {
        var device = UPSSnapshot(id: name, readAt: "")
        for (quantity, value) in values { device[quantity] = value }
        return Fleet.Entry(
            subject: HistorySubject(kind: .ups, name: name),
            document: HistoryDocument([]),
            lastSeen: 5.4,
            freshness: .online,
            device: device
        )
    }

    @Test(arguments: [(599.0, 599.0), (600, 600), (629, 600), (631, 660)])
    func `rounds a long runtime to minutes`(_ runtime: Double, _ shown: Double) throws {
        let names = OverviewRow.columns(of: .ups)
        let position = try #require(names.firstIndex(of: "battery_runtime_seconds"))
        let row = OverviewRow(entry("u", [(.batteryRuntime, runtime), (.loadPercent, 700.4)]))
        let values = row.values.split(separator: ",")
        #expect(values[position] == "\(Int(shown))")
        #expect(values[try #require(names.firstIndex(of: "load_percent"))] == "700")
        #expect(values[try #require(names.firstIndex(of: "alarms"))] == "0")
        #expect(values[try #require(names.firstIndex(of: "last_seen"))] == "null")
        var stale = entry("u")
        stale.freshness = .stale
        #expect(OverviewRow(stale).values.hasPrefix("\"stale\",5,"))
    }

    @Test(arguments: [(10_000, false), (10_001, true)])
    func `remembers ten thousand removals`(_ count: Int, _ isFull: Bool) throws {
        var overview = FleetOverview(epoch: "e")
        overview.update((0..<count).map { entry("\($0)") })
        overview.update([])
        func document(_ revision: Int) throws -> (full: Bool?, removed: Int?) {
            let text = overview.document(since: ("e", revision), head: "")
            let document = try object(Array(text.utf8))
            return (document["full"] as? Bool, (document["removed"] as? [Any])?.count)
        }
        #expect(try document(1) == (isFull, isFull ? 0 : 10_000))
        #expect(try document(2) == (false, 0))
        // A revision of the future belongs to another process.
        #expect(try document(3) == (true, 0))
    }
}
