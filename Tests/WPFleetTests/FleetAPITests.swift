// SPDX-License-Identifier: MIT

import Testing
import WPCore
@testable import WPFleet
import WPGzip
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

@Suite struct FleetAPITests {
    @Test func `creates documents off the server's thread`() async throws {
        let time = WatchedTimeSource(TestClock().timeSource)
        let history = try await History(MemoryHistoryStore(), timeSource: time, logger: .silent)
        let subject = HistorySubject(kind: .ups, name: "1")
        _ = history.record(.init(subject: subject, time: time.now.secondsSince1970))
        let fleet = Fleet(history, timeSource: time)
        let api = FleetAPI(fleet)
        time.forget()
        let status = try await time.thread.run {
            #expect(time.thread.isCurrent)
            let target = "/api/v2/clusters/default/ups/1/history?hours=1"
            let response = try await api.respond(to: HTTPRequest(target: target))
            #expect(time.thread.isCurrent)
            return response.status
        }
        #expect(status == .ok)
        #expect(time.wasReadElsewhere)
    }

    @Test(arguments: ["机房/1", "../etc", "a b?c#d", "%2F", "\"<script>"])
    func `a name may contain any characters`(_ name: String) async throws {
        let hub = try await FleetUnderTest()
        let quoted = try #require(String(validating: JSONEncoder().encode(name), as: UTF8.self)).dropFirst().dropLast()
        _ = try hub.intake.ingestNode(hub.node(String(quoted)))
        let encoded = name.utf8.map { byte in
            let digits = String(byte, radix: 16)
            return "%" + (digits.count == 1 ? "0" : "") + digits
        }.joined()
        #expect(try await hub.json("clusters/default/node-metrics/\(encoded)")["node_name"] as? String == name)
        #expect(try await hub.json("clusters/default/node-metrics/\(encoded)/history")["node_name"] as? String == name)
    }

    @Test(
        arguments: [
            ("300", 300), ("1", 1), ("90s", 90), ("5m", 300), ("2h", 7200), ("366d", 31_622_400), ("0", nil),
            ("0m", nil),
            ("367d", nil), ("s", nil), ("", nil), ("-1", nil), ("1w", nil), ("9223372036854775807d", nil),
        ] as [(String, Int64?)]
    )
    func `a span is a number with an optional unit`(_ text: String, _ seconds: Int64?) throws {
        let query = try APIQuery("step=\(text)", allowed: ["step"])
        guard let seconds else {
            #expect(throws: APIError.self) { try query.span("step") }
            return
        }
        #expect(try query.span("step") == seconds)
    }

    @Test func `reports the cost of energy per day and month`() async throws {
        let hub = try await FleetUnderTest(tariff: 0.3)
        for (hour, energy) in [(0.0, 1000.0), (1, 3000), (24, 4000)] {
            _ = try hub.intake.ingestUPSes(hub.ups("u", hour * 3600 - 86_400, energy: energy))
        }
        let days = try await hub.json("clusters/default/ups/u/energy?zone=utc")
        let rows = try #require(days["energy"] as? [[String: Any]])
        #expect(rows.map { $0["day"] as? String } == ["2025-06-14", "2025-06-15"])
        #expect(rows.map { $0["watt_hours"] as? Double } == [2000, 1000])
        #expect(rows.map { $0["cost"] as? Double } == [0.6, 0.3])
        let months = try await hub.json("clusters/default/ups/u/energy?zone=utc&period=month")
        #expect((months["energy"] as? [[String: Any]])?.map { $0["watt_hours"] as? Double } == [3000])
    }

    @Test func `includes the currency of the tariff if there is one`() async throws {
        let paths = ["ups", "overview", "energy?zone=utc", "ups/u/energy"].map { "clusters/default/" + $0 }
        let hub = try await FleetUnderTest(tariff: 0.3, currency: "\"元\"")
        _ = try hub.intake.ingestUPSes(hub.ups("u"))
        for path in paths { #expect(try await hub.json(path)["currency"] as? String == "\"元\"", "\(path)") }
        hub.fleet.tariff = Tariff(0.3)
        for path in paths {
            let document = try await hub.json(path)
            #expect(document["tariff"] as? Double == 0.3 && document["currency"] == nil, "\(path)")
        }
        #expect(Tariff(price: nil, currency: "CNY") == nil)
    }

    @Test func `includes the NUT address of the program's UPSes`() async throws {
        let hub = try await FleetUnderTest()
        for name in ["u", "v"] { _ = try hub.intake.ingestUPSes(hub.ups(name)) }
        _ = try hub.intake.ingestUPSes(hub.ups("w", site: "s"))
        _ = try hub.intake.ingestNode(hub.node("u"))
        let api = hub.api.with { $0 == "v" ? nil : NUTAddress(name: "nut-" + $0, port: 3493) }
        func device(_ path: String) async throws -> [String: Any] {
            try object(try await api.respond(to: HTTPRequest(target: "/api/v2/clusters/default/" + path)).bytes)
        }
        let known = try await device("ups/u")
        #expect(known["nut_name"] as? String == "nut-u" && known["nut_port"] as? Double == 3493)
        for path in ["ups/v", "ups/w?site=s", "node-metrics/u"] {
            #expect(try await device(path)["nut_name"] == nil, "\(path)")
        }
    }

    @Test func `starts energy per day with a complete day`() async throws {
        let hub = try await FleetUnderTest()
        for (hour, energy) in [(-12.0, 0.0), (-10, 100), (0, 150)] {
            _ = try hub.intake.ingestUPSes(hub.ups("u", hour * 3600, energy: energy))
        }
        hub.clock.advance(by: .seconds(30 * 86_400))
        func first(_ query: String) async throws -> Double? {
            let days = try await hub.json("clusters/default/ups/u/energy?zone=utc" + query)
            return (days["energy"] as? [[String: Any]])?.first?["watt_hours"] as? Double
        }
        #expect(try await first("") == 150)
        #expect(try await first("&from=\(Int(hub.now) - 30 * 86_400)") == 50)
    }

    @Test func `returns the energy of every UPS today and this month`() async throws {
        let hub = try await FleetUnderTest(tariff: 0.5)
        for (day, energy) in [(-20.0, 0.0), (-14, 1000), (-2, 3000), (0, 4000)] {
            _ = try hub.intake.ingestUPSes(hub.ups("u", site: "a", day * 86_400, energy: energy))
        }
        _ = try hub.intake.ingestUPSes(hub.ups("new", energy: 7))
        let energy = try await hub.json("clusters/default/energy?zone=utc")
        #expect(energy["day"] as? String == "2025-06-15")
        #expect(energy["month"] as? String == "2025-06")
        let rows = try #require(energy["energy"] as? [[String: Any]])
        #expect(rows.map { $0["device"] as? String } == ["new", "u"])
        #expect(rows[0]["day"] == nil && rows[0]["month"] == nil)
        #expect(rows[1]["site"] as? String == "a")
        #expect(rows[1]["day"] as? [String: Double] == ["watt_hours": 1000.0, "cost": 0.5])
        // The increase reported on June 1 belongs to June.
        #expect(rows[1]["month"] as? [String: Double] == ["watt_hours": 4000.0, "cost": 2.0])
        #expect((try await hub.json("clusters/default/energy?site=a")["energy"] as? [Any])?.count == 1)
    }

    @Test func `rereads the energy of past days every minute and after late reports`() async throws {
        let hub = try await FleetUnderTest()
        func day() async throws -> [Double?] {
            let energy = try await hub.json("clusters/default/energy?zone=utc")["energy"] as? [[String: Any]]
            return ["day", "month"].map { (energy?.first?[$0] as? [String: Double])?["watt_hours"] }
        }
        let hour = 3600.0
        _ = try hub.intake.ingestUPSes(hub.ups("u", energy: 1000))
        hub.clock.advance(by: .seconds(12 * hour))
        #expect(try await day() == [nil, nil])
        // A delayed report from yesterday.
        _ = try hub.intake.ingestUPSes(hub.ups("u", -11 * hour, energy: 1100))
        #expect(try await day() == [nil, 100.0])
        _ = try hub.intake.ingestUPSes(hub.ups("u", energy: 1150))
        #expect(try await day() == [50.0, 150.0])
        hub.clock.advance(by: .seconds(60))
        _ = try hub.intake.ingestUPSes(hub.ups("u", energy: 1170))
        #expect(try await day() == [70.0, 170.0])
        hub.clock.advance(by: .seconds(86_400))
        _ = try hub.intake.ingestUPSes(hub.ups("u", energy: 1200))
        #expect(try await day() == [30.0, 200.0])
        // A report delayed elsewhere is included a minute later.
        _ = try hub.intake.ingestUPSes(hub.ups("u", -20 * hour, energy: 1205))
        hub.clock.advance(by: .seconds(60))
        #expect(try await day() == [30.0, 205.0])
    }

    @Test func `returns average, minimum and maximum as JSON and CSV`() async throws {
        let hub = try await FleetUnderTest()
        for (offset, watts) in [(-10.0, 100.0), (-5, 300)] {
            _ = try hub.intake.ingestUPSes(hub.ups("u", offset, watts: watts))
        }
        let history = try await hub.json("clusters/default/ups/u/history?step=1h")
        let point = try #require((history["history"] as? [[String: Any]])?.first)
        #expect(point["load_watts"] as? Double == 200.0)
        #expect(point["load_watts_min"] as? Double == 100.0)
        #expect(point["load_watts_max"] as? Double == 300.0)
        #expect(point["samples"] as? Double == 2.0)
        #expect(point["timestamp"] as? String == "2025-06-15T15:00:00Z")
        let table = try await hub.get("clusters/default/ups/u/history?format=csv")
        let lines = String(decoding: table.bytes, as: UTF8.self).split(separator: "\r\n")
        #expect(lines.count == 2)
        #expect(
            lines[0].split(separator: ",").count
                == lines[1].split(separator: ",", omittingEmptySubsequences: false).count
        )
    }

    @Test func `a UPS's history contains the share of samples on battery`() async throws {
        let hub = try await FleetUnderTest()
        for mode in ["line", "battery", "line", "bypass", nil, "unreachable"] {
            var device = UPSSnapshot(id: "u", readAt: hub.time())
            let isUnreachable = mode == "unreachable"
            device.mode = isUnreachable ? "battery" : mode
            device[.connected] = isUnreachable ? 0 : 1
            device[.loadWatts] = isUnreachable ? 500 : 100
            _ = hub.fleet.record(device, at: .init(time: hub.now))
            hub.clock.advance(by: .seconds(5))
        }
        let history = try await hub.json("clusters/default/ups/u/history?step=1h")
        let point = try #require((history["history"] as? [[String: Any]])?.first)
        #expect(point["on_battery"] as? Double == 0.25)
        // The values of an unreachable device are the last known ones.
        #expect(point["load_watts_max"] as? Double == 100)
        #expect(point["samples"] as? Double == 6)
    }

    @Test func `distinguishes devices with the same name at two sites`() async throws {
        let hub = try await FleetUnderTest()
        _ = try hub.intake.ingestUPSes(hub.ups("u", site: "a"))
        _ = try hub.intake.ingestUPSes(hub.ups("u", site: "b"))
        #expect(try await hub.get("clusters/default/ups/u").status.code == 409)
        #expect(try await hub.json("clusters/default/ups/u?site=b")["site"] as? String == "b")
        #expect((try await hub.json("clusters/default/ups")["ups"] as? [Any])?.count == 2)
        #expect((try await hub.json("clusters/default/ups?site=a")["ups"] as? [Any])?.count == 1)
    }

    @Test(arguments: [
        ("nothing", 404), ("clusters/other/ups", 404), ("clusters/default/ups/x", 404), ("clusters/default", 404),
        ("clusters/default/ups/u/history?from=x", 400), ("clusters/default/ups/u/history?step=0", 400),
        ("clusters/default/ups/u/history?step=367d", 400), ("clusters/default/ups/u/history?step=99999d", 400),
        ("clusters/default/ups/u/history?step=-1", 400), ("clusters/default/ups/u/history?hours=721", 400),
        ("clusters/default/ups/u/history?from=20&to=10", 400), ("clusters/default/ups/u/history?x=1", 400),
        ("clusters/default/ups/u/history?hours=1&hours=2", 400), ("clusters/default/ups/u/history?from=0&step=5m", 400),
        ("clusters/default/ups/u/energy?period=year", 400), ("clusters/default/node-metrics?site=a", 400),
        ("clusters/default/energy?zone=mars", 400), ("clusters/default/energy?from=1", 400),
        ("clusters/default/ups/%zz", 400), ("clusters/default/ups/%ff", 400),
        ("clusters/default/ups/u/history?from=99999999999999999999", 400),
    ])
    func `describes errors in JSON`(_ path: String, _ status: Int) async throws {
        let hub = try await FleetUnderTest()
        _ = try hub.intake.ingestUPSes(hub.ups("u"))
        let response = try await hub.get(path)
        #expect(response.status.code == status, "\(String(decoding: response.bytes, as: UTF8.self))")
        #expect((try object(response.bytes)["error"] as? String)?.isEmpty == false)
    }

    @Test func `supports entity tags and gzip`() async throws {
        let hub = try await FleetUnderTest()
        for number in 0..<50 { _ = try hub.intake.ingestUPSes(hub.ups("ups-\(number)", site: "s\(number)")) }
        let plain = try await hub.get("clusters/default/ups")
        let tag = try #require(plain.headers["ETag"])
        let again = try await hub.get("clusters/default/ups", ["If-None-Match": "\"x\", W/\(tag)"])
        #expect(again.status.code == 304)
        #expect(again.bytes.isEmpty)
        let small = try await hub.get("clusters/default/ups", ["Accept-Encoding": "gzip"])
        #expect(small.headers["Content-Encoding"] == "gzip")
        // Two representations of one document have two strong tags.
        #expect(small.headers["ETag"] != tag)
        #expect(try Gzip.decompress(small.bytes, limit: 1 << 20) == plain.bytes)
        hub.clock.advance(by: .seconds(40))
        #expect(try await hub.get("clusters/default/ups", ["If-None-Match": tag]).status == .ok)
    }

    @Test(arguments: [
        ("", 24), ("?hours=24", 24), ("?hours=1", 1), ("?from=2025-06-15T14:36:40Z&to=2025-06-15T15:36:41Z", 2),
    ])
    func `a node's history includes the requested hours`(_ query: String, _ hours: Int) async throws {
        let hub = try await FleetUnderTest()
        _ = try hub.intake.ingestNode(hub.node("a"))
        let document = try await hub.json("clusters/default/node-metrics/a/history\(query)")
        #expect(document["hours"] as? Double == Double(hours))
    }

    @Test func `describes every value of a UPS`() async throws {
        let hub = try await FleetUnderTest()
        var device = UPSSnapshot(id: "u", readAt: hub.time())
        (device.name, device.model, device.firmwareVersion, device.areaID) = ("n", "m", "1", "a")
        (device.mode, device.faultCode) = ("line", "0")
        device.typeCode = 1
        for quantity in UPSQuantity.reported { device[quantity] = 1 }
        let decoder = JSONDecoder()
        device.alarms = try decoder.decode([UPSSnapshot.Alarm].self, from: Data(#"[{"id":"1","text":"t"}]"#.utf8))
        device.phases = try decoder.decode([UPSSnapshot.Phase].self, from: Data(#"[{"number":1}]"#.utf8))
        let encoded = try object(try JSONDocument.bytes(device))
        #expect(encoded.count == 11 + UPSQuantity.reported.count, "the test does not cover every value")
        let description = try await hub.json("openapi.json")
        let schemas = (description["components"] as? [String: Any])?["schemas"] as? [String: Any]
        let properties = (schemas?["UPS"] as? [String: Any])?["properties"] as? [String: Any]
        #expect(Set(encoded.keys).subtracting(properties?.keys.map { $0 } ?? []) == [])
    }

    @Test func `lets readers remove a subject`() async throws {
        let hub = try await FleetUnderTest()
        _ = try hub.intake.ingestUPSes(hub.ups("u", site: "s"))
        _ = try hub.intake.ingestUPSes(hub.ups("u", site: "t"))
        _ = try hub.intake.ingestNode(hub.node("n/1"))
        let base = "/api/v2/clusters/default/"
        func delete(_ path: String, _ removal: FleetAPI.Removal = .allowed) async throws -> Int {
            let request = HTTPRequest(method: .delete, target: base + path)
            return try await hub.api.with(removal).respond(to: request).status.code
        }
        for (removal, isRemovable) in [(FleetAPI.Removal.unavailable, false), (.unprotected, false), (.allowed, true)] {
            for path in ["ups/u?site=s", "node-metrics/n%2F1"] {
                let response = try await hub.api.with(removal).respond(to: HTTPRequest(target: base + path))
                #expect((try object(response.bytes)["removable"] as? Bool == true) == isRemovable)
            }
        }
        #expect(try await delete("ups/u?site=s", .unavailable) == 405)
        #expect(try await delete("ups/u?site=s", .unprotected) == 403)
        #expect(try await delete("ups/u") == 409)
        #expect(try await delete("ups") == 404)
        #expect(try await delete("ups/u/history?site=s") == 404)
        #expect(hub.fleet.entries(of: .ups).count == 2)
        #expect(try await delete("ups/u?site=s") == 204)
        #expect(try await delete("ups/u?site=s") == 404)
        #expect(try await delete("node-metrics/n%2F1") == 204)
        #expect(hub.fleet.entries(of: .ups).map(\.subject.site) == ["t"])
        #expect(hub.fleet.entries(of: .node).isEmpty)
    }

    @Test func `rejects other methods and serves its description`() async throws {
        let hub = try await FleetUnderTest()
        let response = try await hub.api.respond(to: HTTPRequest(method: .post, target: "/api/v2/clusters"))
        #expect(response.status.code == 405)
        #expect(response.headers["Allow"] == "GET, HEAD")
        let description = try await hub.json("openapi.json")
        let paths = try #require(description["paths"] as? [String: Any])
        #expect(paths["/metrics/node"] != nil)
        #expect(paths["/api/v2/clusters/{cluster}/ups/{device}/energy"] != nil)
        #expect(paths["/api/v2/clusters/{cluster}/energy"] != nil)
    }

    @Test func `describes what it serves`() async throws {
        let hub = try await FleetUnderTest()
        _ = try hub.intake.ingestUPSes(hub.ups("u"))
        _ = try hub.intake.ingestNode(hub.node("n"))
        for takesReports in [true, false] {
            let description = try object(OpenAPI.document(takesReports: takesReports))
            let paths = try #require(description["paths"] as? [String: [String: Any]])
            #expect((paths["/metrics/ups"]?["post"] != nil) == takesReports)
            #expect(paths.values.contains { $0["delete"] != nil } == takesReports)
            for (path, operations) in paths where operations["get"] != nil {
                let target = path.replacing("{cluster}", with: "default").replacing("{device}", with: "u")
                    .replacing("{node}", with: "n").replacing("/api/v2/", with: "")
                // Trends need the parameter `epoch`.
                #expect(try await hub.get(target).status.code == (path.hasSuffix("/trends") ? 409 : 200), "\(path)")
            }
        }
    }

    @Test func `describes every value of its enumerations`() throws {
        let text = String(decoding: OpenAPI.document(takesReports: true), as: UTF8.self)
        #expect(!text.contains("{{"))
        for values in [
            Fleet.Freshness.allCases.map(\.rawValue), OverviewRow.State.allCases.map(\.rawValue),
            HistoryEvent.Kind.allCases.map(\.rawValue), EnergyCalendar.Period.allCases.map(\.rawValue),
            EnergyCalendar.Zone.allCases.map(\.rawValue), APIFormat.allCases.map(\.rawValue),
        ] {
            let list = values.map { "\"\($0)\"" }.joined(separator: ",")
            #expect(text.contains("\"enum\":[\(list)]"))
        }
    }
}
