// SPDX-License-Identifier: MIT

import Testing
import WPCore
import WPFleet
import WPHTTP
import WPHistory
import WPModel
import WPServer
import WPTestKit

/// A fleet, its API and its page in another program's server.
@Suite struct MountedFleetTests {
    private let clock = TestClock()

    private func get(_ router: HTTPRouter, _ target: String) async throws -> (status: Int, text: String) {
        let response = try await router.respond(to: HTTPRequest(target: target))
        return (response.status.code, String(decoding: response.bytes, as: UTF8.self))
    }

    @Test(arguments: ["", "/fleet"])
    func servesReadings(under prefix: String) async throws {
        let history = try await History.open(.memory, timeSource: clock)
        let fleet = Fleet(history, Fleet.Configuration(cluster: "shop", tariff: Tariff(0.3)), timeSource: clock)
        var router = HTTPRouter()
        FleetAPI(fleet).mount(on: &router, under: prefix)
        WebPage.mount(on: &router, under: prefix)
        router.on(.get, "/orders") { _ in .text("3 orders\n") }

        let reading = DeviceReading.sample(id: "rack/1", alias: "Rack 1", watts: 420, time: clock.now)
        #expect(fleet.record(reading, total: EnergyTotal(joules: 3600)) == .recorded)
        #expect(fleet.record(reading) == .duplicate)
        let subject = HistorySubject(kind: .ups, name: "rack/1")
        #expect(fleet.freshness(of: subject) == .online)

        let one = try await get(router, prefix + "/api/v2/clusters/shop/ups/rack%2F1")
        #expect(one.status == 200)
        #expect(one.text.contains(#""load_watts":420"#) && one.text.contains(#""energy_watt_hours":1"#))
        #expect(try await get(router, prefix + "/api/v2/clusters/other/ups").status == 404)
        let page = try await get(router, prefix + "/")
        #expect(page.status == 200 && page.text.contains("<html"))
        let asset = try #require(page.text.firstMatch(of: /assets\/[^"]+\.js/)?.output)
        #expect(try await get(router, prefix + "/" + asset).status == 200)
        #expect(try await get(router, "/orders").text == "3 orders\n")

        clock.advance(by: .seconds(3600))
        #expect(fleet.freshness(of: subject) == .offline)
    }

    @Test func hasTheAccessControlOfTheRouter() async throws {
        let history = try await History.open(.memory, timeSource: clock)
        var router = HTTPRouter()
        router.accessControl = HTTPAccessControl(realm: "shop") { .init(bearer: { $0 == "token" }) }
        FleetAPI(Fleet(history, timeSource: clock)).mount(on: &router)
        WebPage.mount(on: &router)
        #expect(try await get(router, "/api/v2/clusters").status == 401)
        #expect(try await get(router, "/").status == 401)
    }
}
