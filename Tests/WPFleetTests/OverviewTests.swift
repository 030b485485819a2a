// SPDX-License-Identifier: MIT

import Testing
import WPHTTP
import WPHistory
import WPModel
import WPTestKit

@testable import WPFleet

@Suite struct OverviewTests {
    private func overview(_ hub: FleetUnderTest, _ query: String = "") async throws -> [String: Any] {
        try await hub.json("clusters/default/overview" + query)
    }

    private func since(_ document: [String: Any]) throws -> String {
        let epoch = try #require(document["epoch"] as? String)
        return "?epoch=\(epoch)&since=\(Int(try #require(document["revision"] as? Double)))"
    }

    @Test func `sends all rows first, then only changes`() async throws {
        let hub = try await FleetUnderTest()
        for name in ["a", "b"] { _ = try hub.intake.ingestUPSes(hub.ups(name, watts: 300.2)) }
        let first = try await overview(hub)
        #expect(first["full"] as? Bool == true)
        #expect((first["subjects"] as? [[Any]])?.map { $0[3] as? String } == ["a", "b"])
        #expect((first["values"] as? [[Any]])?.map { $0[5] as? Double } == [300, 300])
        hub.clock.advance(by: .seconds(5))
        // Equal after rounding for display.
        _ = try hub.intake.ingestUPSes(hub.ups("a", watts: 300.4))
        _ = try hub.intake.ingestUPSes(hub.ups("b", watts: 310))
        let second = try await overview(hub, since(first))
        #expect(second["full"] as? Bool == false)
        #expect((second["subjects"] as? [Any])?.isEmpty == true)
        #expect((second["values"] as? [[Any]])?.map { [$0[0] as? Double, $0[5] as? Double] } == [[2, 310]])
        let third = try await overview(hub, since(second))
        #expect((third["values"] as? [Any])?.isEmpty == true)
    }

    @Test(arguments: ["", "?epoch=other&since=1", "?since=1"])
    func `ignores revisions of another process`(_ query: String) async throws {
        let hub = try await FleetUnderTest()
        _ = try hub.intake.ingestUPSes(hub.ups("a"))
        _ = try await overview(hub)
        #expect((try await overview(hub, query)["subjects"] as? [Any])?.count == 1)
    }

    @Test func `reports removed subjects`() async throws {
        var overview = FleetOverview(epoch: "e")
        let hub = try await FleetUnderTest()
        for name in ["a", "b"] { _ = try hub.intake.ingestUPSes(hub.ups(name)) }
        let entries = hub.fleet.entries(of: .ups)
        overview.update(entries)
        overview.update(entries.filter { $0.subject.name == "b" })
        let news = try object(Array(overview.document(since: ("e", 1), head: "").utf8))
        #expect(news["removed"] as? [Double] == [1])
        #expect(overview.subject(of: 1) == nil)
        #expect(overview.subject(of: 2)?.name == "b")
        // Its key is not reused.
        overview.update(entries)
        #expect(overview.subject(of: 3)?.name == "a")
    }

    @Test func `shows the most severe state in a row`() async throws {
        let hub = try await FleetUnderTest()
        let cases: [(String, String)] = [
            (#""mode":"line""#, "online"), (#""mode":"battery","alarms":[{"text":"x"}]"#, "on_battery"),
            (#""mode":"line","alarms":[{"text":"x"}]"#, "alarm"), (#""mode":"fault""#, "alarm"),
            (#""mode":"battery","connected":false"#, "disconnected"),
        ]
        for (index, (members, _)) in cases.enumerated() {
            let report =
                #"{"timestamp":"\#(hub.time())","devices":[{"id":"\#(index)","read_at":"\#(hub.time())",\#(members)}]}"#
            _ = try hub.intake.ingestUPSes(Array(report.utf8))
        }
        func states() async throws -> [String?]? {
            (try await overview(hub)["values"] as? [[Any]])?.map { $0[1] as? String }
        }
        #expect(try await states() == cases.map(\.1))
        hub.clock.advance(by: .seconds(60))
        #expect(try await states()?.first == "stale")
        hub.clock.advance(by: .seconds(100))
        #expect(try await states() == cases.map { _ in "offline" })
    }

    @Test func `trends contain the last day in half hours, and the energy`() async throws {
        let hub = try await FleetUnderTest(tariff: 0.5)
        _ = try hub.intake.ingestUPSes(hub.ups("a", -7200, watts: 100, energy: 0))
        _ = try hub.intake.ingestUPSes(hub.ups("a", watts: 300, energy: 50))
        let epoch = try #require(try await overview(hub)["epoch"] as? String)
        let trends = try await hub.json("clusters/default/trends?zone=utc&epoch=\(epoch)&keys=1,99")
        let one = try #require((trends["trends"] as? [[String: Any]])?.first)
        let values = try #require(one["values"] as? [Any])
        #expect(values.count == 48)
        #expect(values.compactMap { $0 as? Double } == [100, 300])
        #expect(values.last as? Double == 300)
        #expect(one["day"] as? [String: Double] == ["watt_hours": 50, "cost": 0.025])
        #expect(try await hub.get("clusters/default/trends?epoch=other&keys=1").status.code == 409)
        for keys in ["", "x", "1,,2", Array(repeating: "1", count: 101).joined(separator: ",")] {
            let status = try await hub.get("clusters/default/trends?epoch=\(epoch)&keys=\(keys)").status.code
            #expect(status == (keys == "1,,2" ? 200 : 400), "\(keys)")
        }
    }

    @Test func `records the fleet total once every UPS had time to report`() async throws {
        let hub = try await FleetUnderTest()
        for second in 0..<6 {
            // The second UPS reports for the first time after twenty seconds.
            for name in second < 2 ? ["a"] : ["a", "b"] { _ = try hub.intake.ingestUPSes(hub.ups(name, watts: 100)) }
            if second < 5 { hub.clock.advance(by: .seconds(10)) }
        }
        let history = try await hub.json("clusters/default/history?hours=1&step=1h")
        let point = try #require((history["history"] as? [[String: Any]])?.first)
        #expect(point["load_watts_min"] as? Double == 200)
        #expect(point["load_watts_max"] as? Double == 200)
        #expect(point["on_battery"] as? Double == 0)
        // It is not a UPS.
        #expect((try await hub.json("clusters/default/ups")["ups"] as? [Any])?.count == 2)
        #expect(hub.fleet.history.status.subjects == 2)
    }
}
