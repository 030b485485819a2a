// SPDX-License-Identifier: MIT

import Testing
import WPCore
@testable import WPFleet
import WPHTTP
import WPHistory
import WPLogging
import WPModel
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct EventTests {
    private let subject = HistorySubject(kind: .ups, name: "u")

    private func snapshot(_ mode: String?, charge: Double? = 100, alarms: [String]? = [], connected: Bool? = true)
        -> UPSSnapshot
    {
        var snapshot = UPSSnapshot(id: "u", readAt: "")
        snapshot.mode = mode
        snapshot[.batteryPercent] = charge
        snapshot.alarms = alarms.flatMap { texts in
            let json = "[" + texts.map { "{\"text\":\"\($0)\"}" }.joined(separator: ",") + "]"
            return try? JSONDecoder().decode([UPSSnapshot.Alarm].self, from: Data(json.utf8))
        }
        snapshot[.connected] = connected.map { $0 ? 1 : 0 }
        return snapshot
    }

    private func event(_ kind: HistoryEvent.Kind, _ start: Int64, _ end: Int64? = nil, text: String = "")
        -> HistoryEvent
    {
        HistoryEvent(.init(subject, kind, text: text), start: start, end: end)
    }

    @Test func `an outage begins and ends`() {
        var detector = EventDetector()
        #expect(detector.take(subject, snapshot("line"), at: 10, afterSilence: nil) == [])
        #expect(detector.take(subject, snapshot("battery"), at: 15, afterSilence: nil) == [event(.onBattery, 15)])
        #expect(detector.take(subject, snapshot("battery"), at: 20, afterSilence: nil) == [])
        #expect(detector.take(subject, snapshot("line"), at: 25, afterSilence: nil) == [event(.onBattery, 15, 25)])
    }

    @Test func `an unknown condition continues`() {
        var detector = EventDetector()
        _ = detector.take(subject, snapshot("battery", charge: 20), at: 10, afterSilence: nil)
        #expect(detector.take(subject, snapshot(nil, charge: nil, alarms: nil), at: 15, afterSilence: nil) == [])
        let lost = detector.take(subject, snapshot("line", connected: false), at: 20, afterSilence: nil)
        #expect(lost == [event(.disconnected, 20)])
        let back = detector.take(subject, snapshot("line"), at: 30, afterSilence: nil)
        #expect(Set(back) == [event(.onBattery, 10, 30), event(.lowBattery, 10, 30), event(.disconnected, 20, 30)])
    }

    @Test func `each alarm is a separate event, up to a limit`() {
        var detector = EventDetector()
        let two = detector.take(subject, snapshot("line", alarms: ["a", "b"]), at: 1, afterSilence: nil)
        #expect(Set(two) == [event(.alarm, 1, text: "a"), event(.alarm, 1, text: "b")])
        #expect(
            detector.take(subject, snapshot("line", alarms: ["b"]), at: 2, afterSilence: nil) == [
                event(.alarm, 1, 2, text: "a")
            ]
        )
        let many = (0..<50).map { "\($0) " + String(repeating: "机", count: 500) }
        let found = detector.take(subject, snapshot("line", alarms: many), at: 3, afterSilence: nil)
        #expect(found.count == 1 + EventDetector.maxAlarms)
        #expect(
            found.allSatisfy {
                $0.key.text.utf8.count <= EventDetector.maxTextBytes && !$0.key.text.contains("\u{FFFD}")
            }
        )
    }

    @Test func `silence is an event, detected by other reports or at its end`() async throws {
        let hub = try await FleetUnderTest()
        _ = try hub.intake.ingestUPSes(hub.ups("gone"))
        hub.clock.advance(by: .seconds(300))
        _ = try hub.intake.ingestUPSes(hub.ups("other"))
        func rows() async throws -> [[String: Any]] {
            try #require(try await hub.json("clusters/default/events")["events"] as? [[String: Any]])
        }
        #expect(try await rows().map { $0["event"] as? String } == ["offline"])
        #expect(try await rows().first?["end"] == nil)
        hub.clock.advance(by: .seconds(100))
        _ = try hub.intake.ingestUPSes(hub.ups("gone"))
        let ended = try #require(try await rows().first)
        #expect(ended["name"] as? String == "gone")
        #expect(ended["seconds"] as? Double == 400)
        #expect(try await rows().count == 1)
    }

    @Test func `an open event can end after a restart`() async throws {
        let clock = TestClock()
        let store = MemoryHistoryStore()
        func report(_ mode: String) async throws {
            let history = try await History(store, timeSource: clock.timeSource, logger: .silent)
            let fleet = Fleet(history, timeSource: clock.timeSource)
            clock.advance(by: .seconds(10))
            #expect(fleet.record(snapshot(mode), at: .init(time: clock.timeSource.now.secondsSince1970)) == .recorded)
            await history.saveAll()
        }
        try await report("battery")
        try await report("line")
        let saved = try await store.events(HistoryEventQuery(from: 0, to: .max))
        #expect(saved.count == 1)
        #expect(saved.first?.end.map { end in end - (saved.first?.start ?? 0) } == 10)
    }

    @Test func `lists the events of one UPS as JSON and CSV`() async throws {
        let hub = try await FleetUnderTest()
        for (id, mode) in [("u", "battery"), ("=1+1", "battery"), ("u", "line")] {
            let device = #"{"id":"\#(id)","read_at":"\#(hub.time())","mode":"\#(mode)"}"#
            _ = try hub.intake.ingestUPSes(Array(#"{"timestamp":"\#(hub.time())","devices":[\#(device)]}"#.utf8))
            hub.clock.advance(by: .seconds(30))
        }
        let list = try await hub.json("clusters/default/ups/u/events")
        let rows = try #require(list["events"] as? [[String: Any]])
        #expect(rows.map { $0["seconds"] as? Double } == [60])
        #expect((rows.first?["start"] as? String)?.hasPrefix("2025-06-15T15:06:40") == true)
        #expect((rows.first?["end"] as? String)?.hasPrefix("2025-06-15T15:07:40") == true)
        let table = try await hub.get("clusters/default/events?format=csv")
        let lines = String(decoding: table.bytes, as: UTF8.self).split(separator: "\r\n")
        #expect(lines.count == 3)
        #expect(lines.contains { $0.hasPrefix("on_battery,ups,,'=1+1,,") })
        #expect((try await hub.json("clusters/default/events?limit=1")["events"] as? [Any])?.count == 1)
        #expect(try await hub.get("clusters/default/ups/x/events").status.code == 404)
        #expect(try await hub.get("clusters/default/events?limit=0").status.code == 400)
    }
}
