// SPDX-License-Identifier: MIT

import Testing
import WPGzip
import WPHTTP
import WPModel
import WPSimulator
import WPTestKit
import WPTestSupport

struct FaultTests {
    @Test func alternatesServerErrors() async throws {
        let harness = SimulatorHarness(.serverError)
        var codes: [Int] = []
        for _ in 0..<6 { codes.append(try await harness.login().status.code) }
        #expect(codes == [500, 502, 503, 500, 502, 503])
        #expect(harness.simulator.counters.logins == 0)
    }

    @Test func garbageIsNeverADeviceList() async throws {
        let harness = SimulatorHarness(.garbage)
        var bodies: Set<[UInt8]> = []
        for _ in 0..<18 {
            let reply = try await harness.get(SimulatorHarness.listTarget(page: 1), token: "x")
            #expect(reply.status == .ok)
            bodies.insert(reply.body)
            let json = try? reply.json
            let isList = json?["code"] == .string("000000") && json?["data"]?.elements.isEmpty == false
            #expect(!isList)
        }
        #expect(bodies.count == 10, "nine fixed bodies, and noise that differs each time")
    }

    @Test func aTruncatedBodyEndsAtHalf() async throws {
        let harness = SimulatorHarness(SimulatorConfiguration(deviceCount: 20))
        let token = try await harness.token()
        let whole = try await harness.get(SimulatorHarness.listTarget(page: 1), token: token)
        #expect(whole.failure == nil)
        harness.simulator.set(scenario: .truncated)
        let half = try await harness.get(SimulatorHarness.listTarget(page: 1), token: token)
        #expect(half.failure != nil)
        #expect(half.body == Array(whole.body.prefix(whole.body.count / 2)))
        #expect(half.pieces > 1)
    }

    @Test func anOversizedBodyContinuesUntilThePeerCloses() async throws {
        let harness = SimulatorHarness(.oversized)
        let request = HTTPRequest(target: SimulatorHarness.listTarget(page: 1))
        let cut = try await Received(try await harness.simulator.respond(to: request), limit: 1 << 20)
        #expect(cut.failure is CollectingWriter.PeerIsGone)
        #expect(cut.body.count > 1 << 20)
    }

    @Test(arguments: [0, 1000, 65_536, 200_001])
    func anOversizedBodyEndsAtItsLimit(byteCount: Int) async throws {
        let harness = SimulatorHarness(SimulatorConfiguration(scenario: .oversized, oversizedByteCount: byteCount))
        let reply = try await harness.login()
        #expect(reply.failure == nil)
        #expect(byteCount < 1000 || reply.body.count == byteCount)
        #expect(try reply.json["code"] == .string("000000"))
    }

    @Test func aGzipBombIsSmallOnTheWire() async throws {
        let size = 8 << 20
        let harness = SimulatorHarness(SimulatorConfiguration(scenario: .gzipBomb, oversizedByteCount: size))
        let reply = try await harness.login()
        #expect(reply.failure == nil)
        #expect(reply.headers["Content-Encoding"] == "gzip")
        #expect(reply.body.count < size / 500)
        let body = try Gzip.decompress(reply.body, limit: size)
        #expect(body.count == size)
        #expect(try JSONValue(parsing: body)["code"] == .string("000000"))
    }

    @Test(arguments: [(nil, "gzip"), (true, "gzip"), (true, "deflate, gzip"), (true, "br"), (false, "gzip")])
    func compressesBodiesForClientsThatAcceptGzip(gzip: Bool?, accepted: String) async throws {
        let harness = SimulatorHarness(gzip.map { SimulatorConfiguration(gzip: $0) } ?? SimulatorConfiguration())
        let target = SimulatorHarness.listTarget(page: 1)
        let token = try await harness.token()
        let plain = try await harness.get(target, token: token)
        let headers: HTTPFields = ["Authorization": "Bearer \(token)", "Accept-Encoding": accepted]
        let reply = try await harness.send(HTTPRequest(target: target, headers: headers))
        let isCompressed = gzip ?? true && accepted.contains("gzip")
        #expect(reply.headers["Content-Encoding"] == (isCompressed ? "gzip" : nil))
        #expect(plain.headers["Content-Encoding"] == nil)
        #expect(try (isCompressed ? Gzip.decompress(reply.body, limit: 1 << 20) : reply.body) == plain.body)
    }

    @Test func aSlowReplyHasTheValuesOfItsSendTime() async throws {
        let harness = SimulatorHarness(SimulatorConfiguration(deviceCount: 1, slowDelay: .seconds(5)))
        let token = try await harness.token()
        let id = harness.simulator.deviceIDs[0]
        harness.simulator.set(load: .ramp(fromWatts: 100, wattsPerSecond: 10), for: id)
        harness.simulator.set(scenario: .slow)
        async let reply = harness.page(token: token)
        try await harness.clock.waitForSleepers()
        #expect(harness.simulator.counters.pages == 0)
        harness.clock.advance(by: .seconds(5))
        #expect(try await reply["data"]?.elements.first?["realtime"]?["loadTotalWatt"] == .string("150"))
    }

    @Test func aDrippingBodyArrivesByteByByte() async throws {
        let harness = SimulatorHarness(SimulatorConfiguration(scenario: .drip, dripInterval: .seconds(2)))
        let request = HTTPRequest(target: SimulatorHarness.listTarget(page: 1))
        let response = try await harness.simulator.respond(to: request)
        guard case .stream(let write) = response.body else {
            Issue.record("the body is not a stream")
            return
        }
        let writer = CollectingWriter()
        let task = Task { try await write(writer) }
        for count in 1...5 {
            try await harness.clock.waitForSleepers()
            #expect(writer.collected.0.count == count)
            harness.clock.advance(by: .seconds(2))
        }
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
    }

    @Test func aHangingReplyEndsOnlyByCancellation() async throws {
        let harness = SimulatorHarness(.hang)
        let task = Task { try await harness.login() }
        for _ in 0..<3 {
            try await harness.clock.waitForSleepers()
            harness.clock.advance(by: .seconds(3600))
        }
        try await harness.clock.waitForSleepers()
        task.cancel()
        await #expect(throws: CancellationError.self) { _ = try await task.value }
        #expect(harness.simulator.counters.logins == 0)
    }

    @Test(arguments: Scenario.allCases)
    func answersUnknownPathsInEveryScenario(scenario: Scenario) async throws {
        let reply = try await SimulatorHarness(scenario).send(HTTPRequest(target: "/favicon.ico"))
        #expect(reply.status == .notFound)
        #expect(reply.failure == nil)
    }
}
