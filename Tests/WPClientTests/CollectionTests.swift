// SPDX-License-Identifier: MIT

import Testing
import WPClient
import WPCore
import WPHTTP
import WPLogging
import WPModel
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite("Collections")
struct CollectionTests {
    private typealias Answer = ScriptedTransport.Answer

    private struct LoginBody: Decodable, Equatable {
        var username: String
        var password: String
    }

    @Test func sendsTheRequestsOfWinPowersWebPage() async throws {
        let bench = Bench()
        bench.setPassword(#"pä"ss\word"#)
        #expect(try await bench.ids() == ["e156e6cb-41cb-4b35-b0dd-869929186a5c"])
        let login = try #require(bench.transport.requests.first).request
        #expect(login.method == .post)
        #expect(login.target == "/api/v1/auth/login")
        #expect(
            login.headers == [
                "Accept": "application/json, text/plain, */*", "Content-language": "en",
                "Content-Type": "application/json",
            ]
        )
        #expect(
            try JSONDecoder().decode(LoginBody.self, from: Data(login.body))
                == LoginBody(username: "reader", password: #"pä"ss\word"#)
        )
        let page = try #require(bench.transport.requests.last).request
        #expect(bench.transport.requests.count == 2)
        #expect(page.method == .get)
        #expect(page.body.isEmpty)
        #expect(
            page.target == """
                /api/v1/deviceData/detail/list?current=1&pageSize=100&areaId=00000000-0000-0000-0000-000000000000\
                &includeSubArea=true&pageNum=1
                """
        )
        #expect(
            page.headers == [
                "Accept": "application/json, text/plain, */*", "Content-language": "en",
                "Authorization": "Bearer token-1",
            ]
        )
    }

    @Test func sendsConfiguredParameters() async throws {
        let bench = Bench(
            .init(loginPath: "/in", devicesPath: "/list", pageSize: 7, deviceType: 1, areaID: "a&b=ü")
        )
        _ = try await bench.client.readDevices()
        #expect(bench.transport.logins.map(\.request.target) == ["/in"])
        #expect(
            bench.transport.pages.map(\.request.target) == [
                "/list?current=1&pageSize=7&areaId=a%26b%3D%C3%BC&includeSubArea=true&pageNum=1&deviceType=1"
            ]
        )
    }

    @Test func requestsPagesUntilTheTotal() async throws {
        let bench = Bench()
        bench.transport.onDevices(
            .reply(Samples.page(1...20, total: 45)),
            .reply(Samples.page(21...40, total: 45)),
            .reply(Samples.page(41...45, total: 45))
        )
        #expect(try await bench.ids() == (1...45).map { "d\($0)" })
        #expect(bench.transport.pages.map { $0.parameter("current") } == ["1", "2", "3"])
        #expect(bench.transport.pages.map { $0.parameter("pageNum") } == ["1", "2", "3"])
        #expect(bench.observer.exchanges == [.login, .devices, .devices, .devices])
    }

    @Test func reads10000DevicesIn100Pages() async throws {
        let bench = Bench()
        bench.transport.onDevices(
            (0..<100).map { page in .reply(Samples.page(page * 100..<page * 100 + 100, total: 10_000)) }
        )
        let readings = try await bench.client.readDevices()
        #expect(readings.count == 10_000)
        #expect(Set(readings.map(\.device.id)).count == 10_000)
        #expect(readings[9_999].load.watts == 9_999)
    }

    @Test(arguments: 1...3)
    func failsIfAnyPageFails(number: Int) async throws {
        let bench = Bench()
        var pages = (0..<3).map { Answer.reply(Samples.page($0 * 20..<$0 * 20 + 20, total: 60)) }
        pages[number - 1] = .reply("", status: 502)
        bench.transport.onDevices(pages)
        let error = try await bench.failure()
        #expect(error.reason == .http)
        #expect(error.reachedServer)
        #expect(error.wasAuthenticated)
        #expect(bench.transport.pages.count == number)
    }

    @Test func failsIfTheListEndsBeforeItsTotal() async throws {
        let bench = Bench()
        bench.transport.onDevices(.reply(Samples.page(1...2, total: 3)), .reply(Samples.page([], total: 3)))
        let error = try await bench.failure()
        #expect(error.reason == .decode)
        #expect(
            error.message == """
                Reading the devices from WinPower (GET /api/v1/deviceData/detail/list) failed: page 2 had no new \
                devices after 2 of 3 devices.
                """
        )
        #expect(error.hint == .waitForNextReading)
    }

    @Test func datesEachDeviceByItsPage() async throws {
        let bench = Bench()
        let clock = bench.clock
        let start = clock.timeSource.now
        bench.transport.onLogin(.taking(.seconds(1), on: clock, .reply(Samples.login(token: "t"))))
        bench.transport.onDevices(
            .taking(.seconds(2), on: clock, .reply(Samples.page(1...1, total: 2))),
            .taking(.milliseconds(500), on: clock, .reply(Samples.page(2...2, total: 2)))
        )
        let readings = try await bench.client.readDevices()
        #expect(readings.map { $0.time.since(start) } == [.seconds(3), .milliseconds(3500)])
        #expect(readings[1].time.wall == start.wall.addingTimeInterval(3.5))
        #expect(
            bench.observer.events.filter { if case .exchange = $0 { true } else { false } } == [
                .exchange(.login, .seconds(1)), .exchange(.devices, .seconds(2)),
                .exchange(.devices, .milliseconds(500)),
            ]
        )
    }

    @Test func acceptsAnEmptyFleet() async throws {
        let bench = Bench()
        bench.transport.onDevices(.reply(#"{"total":0,"data":null,"code":"000000"}"#))
        #expect(try await bench.ids().isEmpty)
        #expect(bench.transport.pages.count == 1)
    }

    @Test func warnsOnceAboutDevicesWithoutAnID() async throws {
        let bench = Bench()
        bench.transport.onDevices(.reply(Samples.list("{}", Samples.device())))
        for _ in 0..<3 { #expect(try await bench.ids() == ["d"]) }
        let message = "Devices without a usable identifier skipped"
        #expect(bench.logs.records.filter { $0.message == message }.map(\.level) == [.warn, .debug, .debug])
        #expect(bench.logs.records.first { $0.message == message }?.fields["skipped"] == 1)
    }

    @Test func logsRepeatedDevicesAtDebug() async throws {
        let bench = Bench()
        bench.transport.onDevices(.reply(Samples.list(Samples.device(), Samples.device())))
        #expect(try await bench.ids() == ["d"])
        #expect(bench.logs.records.last?.message == "Devices listed more than once")
        #expect(bench.logs.records.last?.level == .debug)
    }

    // MARK: Time

    @Test func limitsEachExchangeByItsTimeoutAndTheRemainingTime() async throws {
        let bench = Bench(.init(apiTimeout: .seconds(10), timeout: .seconds(25)))
        let clock = bench.clock
        bench.transport.onLogin(.taking(.seconds(9), on: clock, .reply(Samples.login(token: "t"))))
        bench.transport.onDevices(
            .taking(.seconds(9), on: clock, .reply(Samples.page(1...1, total: 3))),
            .taking(.seconds(6), on: clock, .reply(Samples.page(2...2, total: 3))),
            .taking(.seconds(1), on: clock, .reply(Samples.page(3...3, total: 3)))
        )
        #expect(try await bench.ids() == ["d1", "d2", "d3"])
        #expect(bench.transport.requests.map(\.timeout) == [10, 10, 7, 1].map { .seconds($0) })
    }

    @Test func sendsNothingAfterTheDeadline() async throws {
        let bench = Bench(.init(timeout: .seconds(25)))
        bench.transport.onDevices(.taking(.seconds(25), on: bench.clock, .reply(Samples.page(1...1, total: 2))))
        let error = try await bench.failure()
        #expect(error.reason == .timeout)
        #expect(error.reachedServer)
        #expect(error.wasAuthenticated)
        #expect(error.hint == .raiseReadingTimeout)
        #expect(bench.transport.pages.count == 1)
    }

    @Test(
        arguments: [(30, .raiseExchangeTimeout), (8, .raiseReadingTimeout)] as [(Int, DeviceSourceError.Hint)]
    )
    func namesTheLimitThatExpired(seconds: Int, hint: DeviceSourceError.Hint) async throws {
        let bench = Bench(.init(timeout: .seconds(seconds)))
        bench.transport.onDevices(.failure(.timeout))
        let error = try await bench.failure()
        #expect(error.reason == .timeout)
        #expect(error.hint == hint)
    }

    // MARK: Cancellation

    @Test(arguments: [true, false])
    func cancellationEndsACollectionImmediately(duringLogin: Bool) async throws {
        let bench = Bench()
        let late = Answer.late(.seconds(3600), on: bench.clock, .reply(Samples.deviceList))
        if duringLogin { bench.transport.onLogin(late) } else { bench.transport.onDevices(late) }
        let reading = Task { try await bench.client.readDevices() }
        try await bench.clock.waitForSleepers()
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }

        bench.transport.onLogin(.reply(Samples.login(token: "t")))
        bench.transport.onDevices(.reply(Samples.deviceList))
        #expect(try await bench.ids().count == 1)
    }

    @Test func sendsNothingInACancelledTask() async throws {
        let bench = Bench()
        let reading = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return try await bench.client.readDevices()
        }
        await #expect(throws: CancellationError.self) { try await reading.value }
        #expect(bench.transport.requests.isEmpty)
    }

    @Test func reportsATransportErrorDuringCancellationAsCancellation() async throws {
        let bench = Bench()
        bench.transport.onDevices(
            Answer { _ in
                withUnsafeCurrentTask { $0?.cancel() }
                throw HTTPClientError(code: .closed, message: "Closed.")
            }
        )
        let reading = Task { try await bench.client.readDevices() }
        await #expect(throws: CancellationError.self) { try await reading.value }
    }
}
