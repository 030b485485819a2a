// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import Testing
import WPClient
import WPCore
import WPHTTP
import WPLogging
import WPModel
import WPSimulator
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Large and changing fleets", .timeLimit(.minutes(1)))
struct FleetTests {
    private typealias Answer = ScriptedTransport.Answer

    /// The simulator without a network, with replies delayed by a test clock.
    private struct LateSimulator: WinPowerTransport {
        let simulator: WinPowerSimulator
        let clock: TestClock
        var delay = Duration.milliseconds(700)
        var maxConcurrentRequests = 4

        func send(_ request: HTTPRequest, timeout: Duration) async throws -> HTTPResponse {
            try await clock.sleep(for: delay)
            return try await simulator.respond(to: request)
        }
    }

    /// Answers a page by its number; with a clock, one second late.
    private static func pages(
        of count: Int,
        size: Int,
        on clock: TestClock? = nil,
        instead: [Int: ScriptedTransport.Answer] = [:]
    ) -> ScriptedTransport.Answer {
        Answer { request in
            try await clock?.sleep(for: .seconds(1))
            let number = Int(request.query?.firstMatch(of: /current=(\d+)/)?.output.1 ?? "") ?? 0
            if let answer = instead[number] { return try await answer.give(request) }
            let first = (number - 1) * size + 1
            let ids = first > count ? [] : Array(first...min(count, first + size - 1))
            return try await Answer.reply(Samples.page(ids, total: count)).give(request)
        }
    }

    @Test func collects1000SlowDevicesWithin30Seconds() async throws {
        let clock = TestClock()
        let simulator = WinPowerSimulator(
            configuration: SimulatorConfiguration(deviceCount: 1_000, pageCap: 20, chunked: false, gzip: false),
            timeSource: clock.timeSource
        )
        let client = WinPowerClient(
            transport: LateSimulator(simulator: simulator, clock: clock),
            credentials: { WinPowerCredentials(username: "admin", password: Secret("admin")) },
            timeSource: EndlessSleeps(clock: clock)
        )
        let reading = Task { try await client.readDevices() }
        // The login, the first page, and the other 49, four at a time.
        for requests in [1, 1] + Array(repeating: 4, count: 12) + [1] {
            try await clock.waitForSleepers(requests)
            clock.advance(by: .milliseconds(700))
        }
        let readings = try await reading.value
        #expect(readings.count == 1_000)
        #expect(Set(readings.map(\.device.id)).count == 1_000)
        #expect(clock.now.monotonic < .seconds(30))
        #expect(simulator.counters.pages == 50)
    }

    @Test(
        arguments: [
            (4, 4, 4), (2, 4, 2), (8, 3, 3), (0, 4, 1), (4, 1, 1),
        ]
    )
    func limitsConcurrentPagesByConfigurationAndTransport(pages: Int, transport: Int, expected: Int) async throws {
        let bench = Bench(.init(maxConcurrentPages: pages), maxConcurrentRequests: transport)
        bench.transport.onDevices(Self.pages(of: 26, size: 2, on: bench.clock))
        let reading = Task { try await bench.ids() }
        try await bench.clock.waitForSleepers()
        bench.clock.advance(by: .seconds(1))
        try await bench.clock.waitForSleepers(expected)
        // All remaining pages would have been requested by now.
        for _ in 0..<100 { await Task.yield() }
        #expect(bench.transport.pages.count == 1 + expected)
        for left in stride(from: 12, to: 0, by: -expected) {
            try await bench.clock.waitForSleepers(min(expected, left))
            bench.clock.advance(by: .seconds(1))
        }
        let ids = try await reading.value
        #expect(ids == (1...26).map { "d\($0)" })
        #expect(bench.transport.pages.count == 13)
    }

    @Test func logsInOnceWhenConcurrentPagesRejectTheToken() async throws {
        let bench = Bench(maxConcurrentRequests: 4)
        bench.transport.onLogin(.reply(Samples.login(token: "old")), .reply(Samples.login(token: "new")))
        bench.transport.onDevices(
            Answer { request in
                let isFirst = request.query?.contains("current=1&") == true
                if !isFirst, request.headers["Authorization"] == "Bearer old" {
                    return try await Answer.reply(Samples.rejected401, status: 401).give(request)
                }
                return try await Self.pages(of: 10, size: 2).give(request)
            }
        )
        let ids = try await bench.ids()
        #expect(ids == (1...10).map { "d\($0)" })
        #expect(bench.transport.logins.count == 2)
    }

    @Test func backsOffWhenPagesRejectTheNewToken() async throws {
        let bench = Bench(maxConcurrentRequests: 4)
        bench.transport.onDevices(
            Answer { request in
                if request.query?.contains("current=1&") == true {
                    return try await Answer.reply(Samples.page(1...2, total: 10)).give(request)
                }
                return try await Answer.reply(Samples.rejected401, status: 401).give(request)
            }
        )
        let error = try await bench.failure()
        #expect(error.reason == .auth)
        #expect(bench.transport.logins.count == 2)
    }

    @Test func stopsIfTheServerRepeatsAPage() async throws {
        let bench = Bench(maxConcurrentRequests: 4)
        bench.transport.onDevices(.reply(Samples.page(1...2, total: 2_000)))
        let error = try await bench.failure()
        #expect(error.message.contains("page 2 had no new devices after 2 of 2000 devices"))
        // While page 2 is in flight, other pages may be requested: a few more on a busy machine, but not all thousand.
        #expect(bench.transport.pages.count < 100)
    }

    @Test func failsWithTheFirstFailedPageInPageOrder() async throws {
        let bench = Bench(maxConcurrentRequests: 4)
        bench.transport.onDevices(
            Self.pages(
                of: 10,
                size: 2,
                instead: [3: .reply("", status: 503), 4: .reply("<html>")]
            )
        )
        let error = try await bench.failure()
        #expect(error.message.contains("HTTP 503"))
    }

    @Test func acceptsAListThatShrinks() async throws {
        let bench = Bench(maxConcurrentRequests: 4)
        bench.transport.onDevices(
            Self.pages(
                of: 10,
                size: 2,
                instead: [3: .reply(Samples.page(5...6, total: 6)), 4: .reply("", status: 500), 5: .reply("<html>")]
            )
        )
        let ids = try await bench.ids()
        #expect(ids == (1...6).map { "d\($0)" })
    }

    @Test func cancellationEndsAllPages() async throws {
        let bench = Bench(maxConcurrentRequests: 4)
        bench.transport.onDevices(Self.pages(of: 10, size: 2, on: bench.clock))
        let reading = Task { try await bench.ids() }
        try await bench.clock.waitForSleepers()
        bench.clock.advance(by: .seconds(1))
        try await bench.clock.waitForSleepers(4)
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
    }

    // MARK: Unusable records

    @Test func replacesAnInvalidByteInANameAndLogsOnce() async throws {
        let bench = Bench()
        let body =
            Array(#"{"total":2,"data":[{"assetDevice":{"id":"a","alias":"Rack "#.utf8) + [0xE9]
            + Array(#""}},{"assetDevice":{"id":"b"},"realtime":{"loadTotalWatt":"7"}}],"code":"000000"}"#.utf8)
        bench.transport.onDevices(.bytes(body))
        let readings = try await bench.client.readDevices()
        #expect(readings.map(\.device.id.rawValue) == ["a", "b"])
        #expect(readings.map(\.device.alias) == ["Rack \u{FFFD}", ""])
        #expect(readings.last?.load.watts == 7)
        _ = try await bench.client.readDevices()
        #expect(bench.logs.messages(.warn) == ["Invalid UTF-8 in text from WinPower was replaced"])
        #expect(!bench.observer.events.contains { if case .rejected = $0 { true } else { false } })
    }

    @Test func skipsAndCountsADeviceWithAnInvalidByteInItsID() async throws {
        let bench = Bench()
        let body =
            Array(#"{"total":3,"data":[{"assetDevice":{"id":"a"#.utf8) + [0xE9]
            + Array(#""}},{"assetDevice":{"id":"a"#.utf8) + [0xE8]
            + Array(#""}},{"assetDevice":{"id":"b"}}],"code":"000000"}"#.utf8)
        bench.transport.onDevices(.bytes(body))
        #expect(try await bench.ids() == ["b"])
        #expect(bench.observer.events.contains(.rejected(2)))
    }

    @Test func keepsAReplacementCharacterSentByTheServer() async throws {
        let bench = Bench()
        bench.transport.onDevices(.reply(Samples.list(#"{"assetDevice":{"id":"a\#u{FFFD}"}}"#)))
        #expect(try await bench.ids() == ["a\u{FFFD}"])
    }

    @Test(
        arguments: [
            "null", "7", #""text""#, "[]", "{}", #"{"assetDevice":null}"#, #"{"assetDevice":{"id":"\ud800"}}"#,
            #"{"\ud800":1,"assetDevice":{}}"#, #"{"assetDevice":{"id":1e999}}"#,
        ]
    )
    func skipsAndCountsAnInvalidRecord(record: String) async throws {
        let bench = Bench()
        bench.transport.onDevices(
            .reply(Samples.list(#"{"assetDevice":{"id":"a"}}"#, record, #"{"assetDevice":{"id":"b"}}"#))
        )
        #expect(try await bench.ids() == ["a", "b"])
        #expect(bench.observer.events.contains(.rejected(1)))
    }

    @Test(arguments: [("true", true), ("0", false), (#""1""#, true)])
    func reportsWhetherADeviceIsActive(value: String, expected: Bool) async throws {
        let bench = Bench()
        bench.transport.onDevices(
            .reply(Samples.list(#"{"assetDevice":{"id":"a","isActive":\#(value)}}"#, #"{"assetDevice":{"id":"b"}}"#))
        )
        #expect(try await bench.client.readDevices().map(\.device.isActive) == [expected, nil])
    }
}

@Suite("Concurrent connections", .timeLimit(.minutes(1)))
struct WinPowerConnectionsTests {
    /// Over TLS, later connections still trust the authority after its file has been removed.
    @Test(arguments: [false, true]) func usesOneConnectionPerConcurrentRequest(isSecure: Bool) async throws {
        let certificates = try WireCertificates.shared.get()
        let directory = try TemporaryDirectory()
        let authorityFile = "\(directory.path)/authority.pem"
        try FileManager.default.copyItem(atPath: certificates.authorityFile, toPath: authorityFile)
        let isBarrier = Mutex(false)
        let arrivals = Counter()
        let everybody = DispatchSemaphore(value: 0)
        let server = try ScriptedServer { peer in
            if isSecure { peer.startTLS(certificates.good) }
            while peer.readRequest() != nil {
                if isBarrier.withLock({ $0 }) {
                    if arrivals.next() == 3 { for _ in 0..<3 { everybody.signal() } }
                    guard everybody.wait(timeout: .now() + 20) == .success else { return }
                }
                peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
        }
        let transport = try WinPowerConnections(
            HTTPClient.Configuration(
                origin: HTTPOrigin(parsing: "\(isSecure ? "https" : "http")://127.0.0.1:\(server.port)"),
                verification: .authorities(path: authorityFile)
            ),
            limit: 3
        )
        try FileManager.default.removeItem(atPath: authorityFile)
        #expect(transport.maxConcurrentRequests == 3)
        for _ in 0..<3 {
            #expect(try await transport.send(HTTPRequest(target: "/"), timeout: .seconds(20)).status == .ok)
        }
        #expect(server.accepted == 1)
        isBarrier.withLock { $0 = true }
        try await withThrowingTaskGroup(of: HTTPStatus.self) { group in
            for _ in 0..<3 {
                group.addTask { try await transport.send(HTTPRequest(target: "/"), timeout: .seconds(20)).status }
            }
            for try await status in group { #expect(status == .ok) }
        }
        #expect(server.accepted == 3)
    }
}
